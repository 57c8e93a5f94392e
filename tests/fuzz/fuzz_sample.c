/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as clients send them: decoded, described, named, looked into, and encoded. */
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/sample_codec.h"
#include "proto/sample_name.h"
#include "tests/fuzz/fuzz.h"

static void check_description(const struct sample *sample)
{
	if (!(sample->zero_share >= 0 && sample->zero_share <= 1))
		abort();
	if (sample->has_range && sample->low > sample->high)
		abort();
	if (sample->run_count == 0 || sample->run_count > SAMPLE_RUNS_MAX ||
	    sample->byte_count > SAMPLE_BYTES_MAX)
		abort();
}

/* Every run is found where it is said to be, and nothing around it. */
static void check_runs(const struct sample *sample)
{
	uint64_t end = 0;
	for (uint32_t i = 0; i < sample->run_count; i++) {
		const struct sample_run *run = &sample->runs[i];
		const uint8_t *bytes = sample_find(sample, run->offset_bytes, run->length_bytes);
		if (bytes != sample->bytes + run->start ||
		    run->start + run->length_bytes > sample->byte_count)
			abort();
		if ((i > 0 && run->offset_bytes <= end) ||
		    run->length_bytes > sample->size_bytes - run->offset_bytes)
			abort();
		end = run->offset_bytes + run->length_bytes;
		if (sample_find(sample, end, 1) != NULL ||
		    sample_find(sample, run->offset_bytes, (uint64_t)run->length_bytes + 1) != NULL)
			abort();
	}
}

/* What a store is given of it has the same name, and is the same once more. */
static void check_message(const struct sample *sample, const uint8_t name[SAMPLE_NAME_BYTES])
{
	uint8_t *bytes, again[SAMPLE_NAME_BYTES];
	size_t size;
	struct sample *same;
	struct error error;
	if (sample_encode(sample, &bytes, &size, &error) != STATUS_OK)
		return;
	Predictd__Sample *message = predictd__sample__unpack(NULL, size, bytes);
	if (message == NULL || sample_decode(message, &same, &error) != STATUS_OK)
		abort();
	sample_name(message, again);
	if (memcmp(name, again, sizeof again) != 0 ||
	    memcmp(sample, same, sizeof *sample + sample->byte_count) != 0)
		abort();
	sample_release(same);
	predictd__sample__free_unpacked(message, NULL);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample *sample = NULL;
	struct error error;
	uint8_t name[SAMPLE_NAME_BYTES], again[SAMPLE_NAME_BYTES];
	Predictd__Sample *message = predictd__sample__unpack(NULL, size, data);
	if (message == NULL)
		return 0;
	sample_name(message, name);
	sample_name(message, again);
	if (memcmp(name, again, sizeof name) != 0)
		abort();
	if (sample_decode(message, &sample, &error) == STATUS_OK) {
		check_description(sample);
		check_runs(sample);
		check_message(sample, name);
	} else if (sample != NULL || error.text[0] == '\0') {
		abort();
	}
	sample_release(sample);
	predictd__sample__free_unpacked(message, NULL);
	return 0;
}
