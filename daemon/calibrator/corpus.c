/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus, out of the program. */
#include "daemon/calibrator/corpus.h"

#include <stdlib.h>

#include "daemon/codec/ir_codec.h"
#include "daemon/codec/launch_codec.h"

/* corpus/analyse.c */
extern const uint8_t corpus_packed[];
extern const uint64_t corpus_packed_bytes;

enum status corpus_init(struct corpus *corpus, struct error *error)
{
	enum status status = STATUS_OK;
	*corpus = (struct corpus){
	        .message = predictd__corpus__unpack(NULL, corpus_packed_bytes, corpus_packed)};
	if (corpus->message == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the corpus cannot be unpacked");
	corpus->cases = calloc(corpus->message->n_cases + 1, sizeof *corpus->cases);
	if (corpus->cases == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "the corpus: no memory");
	for (size_t i = 0; i < corpus->message->n_cases && status == STATUS_OK; i++) {
		const Predictd__CorpusCase *from = corpus->message->cases[i];
		struct corpus_case *to = &corpus->cases[i];
		to->what = from->what;
		status = launch_decode(from->what->launch, &to->launch, error);
		if (status == STATUS_OK)
			status = ir_decode(from->ir, &to->kernel, error);
		corpus->count++;
	}
	if (status != STATUS_OK)
		corpus_deinit(corpus);
	return status;
}

void corpus_deinit(struct corpus *corpus)
{
	for (size_t i = 0; i < corpus->count; i++)
		kernel_free(corpus->cases[i].kernel);
	free(corpus->cases);
	if (corpus->message != NULL)
		predictd__corpus__free_unpacked(corpus->message, NULL);
	*corpus = (struct corpus){.count = 0};
}
