/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of what `init` makes of a case's buffers. */
#include "client/predictctl/sampled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/init.h"

enum { RUN_BYTES_MAX = 4096, INIT_ALIGNMENT = 8 };

struct filling {
	struct init init;
	uint64_t seed;
};

static bool read_run(uint64_t offset, void *bytes, size_t size, void *context)
{
	const struct filling *filling = context;
	uint8_t aligned[RUN_BYTES_MAX + INIT_ALIGNMENT];
	size_t before = offset % INIT_ALIGNMENT;
	if (size > RUN_BYTES_MAX)
		return false;
	init_fill(&filling->init, filling->seed, offset - before, aligned, before + size);
	memcpy(bytes, aligned + before, size);
	return true;
}

/* "float4" of "buffer float4"; NULL: not known. */
static const char *element_type(const predictd_kernel *kernel, size_t i)
{
	static const char word[] = "buffer ";
	if (kernel == NULL || i >= kernel->argument_count ||
	    strncmp(kernel->argument_types[i], word, sizeof word - 1) != 0)
		return NULL;
	return kernel->argument_types[i] + sizeof word - 1;
}

static bool sample_take(const predictd_argument *argument, const char *type, size_t i,
                        predictd_sample **sample, struct complaint *why)
{
	struct filling filling = {.seed = i}; /* as the calibrator has it */
	char problem[INIT_PROBLEM_MAX];
	if (!init_open(argument->init, &filling.init, problem))
		return refuse(why, "argument %zu: %s", i, problem);
	predictd_status status =
	        predictd_sample_read(read_run, &filling, argument->size_bytes, type, sample);
	if (status == PREDICTD_INVALID && type != NULL) /* of structs */
		status = predictd_sample_read(read_run, &filling, argument->size_bytes, NULL,
		                              sample);
	init_close(&filling.init);
	/* a buffer that holds no element has nothing to tell */
	return status == PREDICTD_OK || status == PREDICTD_NOT_FOUND ||
	       refuse(why, "argument %zu: %s", i, predictd_error_text());
}

bool sampled_init(const struct launch_case *one, const predictd_kernel *kernel, bool every,
                  struct sampled *sampled)
{
	size_t count = one->argument_count;
	*sampled = (struct sampled){.count = count};
	sampled->arguments = calloc(count + 1, sizeof *sampled->arguments);
	sampled->samples = calloc(count + 1, sizeof(*sampled->samples));
	if (sampled->arguments == NULL || sampled->samples == NULL)
		return refuse(&sampled->why, "no memory");
	for (size_t i = 0; i < count; i++) {
		predictd_argument *argument = &sampled->arguments[i];
		*argument = one->arguments[i];
		bool is_said = every || (one->is_sampled != NULL && one->is_sampled[i]);
		if (!is_said || argument->kind != PREDICTD_BUFFER || argument->init == NULL)
			continue;
		if (!sample_take(argument, element_type(kernel, i), i, &sampled->samples[i],
		                 &sampled->why))
			return false;
		argument->sample = sampled->samples[i];
	}
	return true;
}

void sampled_deinit(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->count && sampled->samples != NULL; i++)
		predictd_sample_free(sampled->samples[i]);
	free(sampled->samples);
	free(sampled->arguments);
	*sampled = (struct sampled){0};
}
