/* SPDX-License-Identifier: Apache-2.0 */
/* Records of observations as the store gives them: decoded, taken up, and asked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/correction/correction.h"
#include "tests/fuzz/fuzz.h"

/* What was decoded is what is encoded; of an earlier version, when it is decoded again. */
static void check_encoded(const struct correction_record *record, const uint8_t *data, size_t size)
{
	struct correction_record again = *record;
	struct error error;
	uint8_t bytes[CORRECTION_RECORD_BYTES], bytes_again[CORRECTION_RECORD_BYTES];
	size_t encoded = correction_encode(record, bytes);
	if (encoded == size && memcmp(bytes, data, size) != 0)
		abort();
	if (correction_decode(bytes, encoded, &again, &error) != STATUS_OK ||
	    correction_encode(&again, bytes_again) != encoded ||
	    memcmp(bytes, bytes_again, encoded) != 0)
		abort();
	if (encoded != size && memcmp(bytes, data, 2) == 0)
		abort();
}

static void check(const struct correction_answer *answer)
{
	if (!isfinite(answer->time_s) || !(answer->low_s <= answer->high_s))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct correction *correction;
	struct correction_record record = {.device = 1, .kernel = 2, .launch.key = 3, .uid = 4};
	struct correction_answer answer;
	struct error error;
	if (correction == NULL && correction_new(64, 16, &correction, &error) != STATUS_OK)
		return 0;
	if (correction_decode(data, size, &record, &error) != STATUS_OK)
		return 0;
	if (record.sample_count > CORRECTION_SAMPLES)
		abort();
	check_encoded(&record, data, size);
	if (correction_load(correction, &record, &error) != STATUS_OK)
		return 0;
	correction_ask(correction, 1, 2, 4, &record.launch, false, &answer);
	check(&answer);
	struct correction_answer task;
	correction_ask_task(correction, 1, 2, 4, &record.launch, &answer, 1e-5, &task);
	check(&task);
	/* the same record of a task, which a run of its kernel restates */
	record.launch.kind = CORRECTION_OF_TASK;
	if (correction_load(correction, &record, &error) == STATUS_OK) {
		struct correction_run run = {.device = 1,
		                             .kernel = 2,
		                             .uid = 4,
		                             .time_s = 1e-3,
		                             .measured_at_s = 1,
		                             .launch = record.launch};
		run.launch.kind = CORRECTION_OF_KERNEL;
		(void)correction_observe(correction, &run, NULL, &error);
		correction_ask_task(correction, 1, 2, 4, &run.launch, &answer, 1e-5, &task);
		check(&task);
	}
	/* what other nodes say of another launch, asked about by who observed none of it */
	struct correction_record told = record;
	bool has_moved;
	told.launch.key = 9;
	if (correction_tell(correction, &told, &has_moved, &error) == STATUS_OK) {
		correction_ask(correction, 1, 2, 5, &told.launch, false, &task);
		check(&task);
		correction_ask(correction, 1, 2, 4, &record.launch, false, &task);
		check(&task);
	}
	/* and as one of a kernel without source, asked about itself and about another */
	for (unsigned i = 0; i < 2; i++) {
		struct correction_launch launch = record.launch;
		launch.key += i;
		launch.items_log += (float)i;
		if (correction_ask_history(correction, 1, 2, 4, &launch, &task))
			check(&task);
	}
	const struct correction_scope all = {.has_device = false};
	(void)correction_forget(correction, &all);
	while (correction_take_changed(correction, &record))
		continue;
	return 0;
}
