/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose buffers hold data, with samples of them or without. */
#include "tests/test.h"

#include "tests/unit/predict/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "model/answer/predict.h"
#include "model/evaluate/number.h"

enum { RUNS = 16, RUN_BYTES = 4096 };

enum status sample_try(const void *data, uint64_t size_bytes, enum scalar scalar,
                       struct sample **sample, struct error *error)
{
	uint64_t offsets[RUNS], stratum = size_bytes / RUNS / 64 * 64, sequence = 1;
	uint32_t lengths[RUNS];
	uint8_t bytes[RUNS * RUN_BYTES];
	struct sample_parts parts = {.size_bytes = size_bytes,
	                             .scalar = scalar,
	                             .offsets_bytes = offsets,
	                             .lengths_bytes = lengths,
	                             .bytes = bytes};

	if (size_bytes <= sizeof bytes) {
		offsets[0] = 0;
		lengths[0] = (uint32_t)size_bytes;
		parts.offset_count = parts.length_count = 1;
		parts.byte_count = size_bytes;
		parts.bytes = data;
	}
	for (unsigned i = 0; i < RUNS && size_bytes > sizeof bytes; i++) {
		offsets[i] = i == 0          ? 0
		             : i == RUNS - 1 ? size_bytes - RUN_BYTES
		                             : i * stratum + any_below(&sequence,
		                                                       (stratum - RUN_BYTES) / 64) *
		                                                     64;
		lengths[i] = RUN_BYTES;
		memcpy(bytes + parts.byte_count, (const uint8_t *)data + offsets[i], RUN_BYTES);
		parts.byte_count += RUN_BYTES;
		parts.offset_count = parts.length_count = i + 1;
	}
	return sample_new(&parts, sample, error);
}

struct sample *sample_take(const void *data, uint64_t size_bytes, enum scalar scalar)
{
	struct sample *sample = NULL;
	struct error error = {0};

	if (sample_try(data, size_bytes, scalar, &sample, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return sample;
}

void launch_data(struct launch *launch, const void *data, uint64_t size_bytes, enum scalar scalar,
                 bool is_sampled)
{
	launch_buffer(launch, size_bytes);
	if (is_sampled)
		launch->arguments[launch->argument_count - 1].sample =
		        sample_take(data, size_bytes, scalar);
}

void launch_end(struct launch *launch)
{
	for (uint32_t i = 0; i < launch->argument_count; i++)
		sample_release(launch->arguments[i].sample);
}

struct evaluation evaluated(const struct ir_kernel *kernel, const struct device *device,
                            const struct launch *launch)
{
	struct launch checked = *launch;
	struct evaluation evaluation = {0};
	struct error error = {0};

	if (launch_check(kernel, device, &checked, &error) != STATUS_OK ||
	    evaluate(kernel, device, &checked, PREDICTION_BUDGET, &evaluation, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
	return evaluation;
}

uint64_t any_below(uint64_t *sequence, uint64_t limit)
{
	return number_mix((*sequence)++) % limit;
}
