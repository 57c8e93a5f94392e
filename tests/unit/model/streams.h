/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated streams of observations for tests of corrections: seeded, no clock. */
#ifndef PREDICTD_TESTS_STREAMS_H
#define PREDICTD_TESTS_STREAMS_H

#include "tests/test.h"

#include "model/correction/correction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_DEVICE = 7, STREAM_START_S = 1700000000, STREAM_UID = 1000 };

struct stream {
	struct correction *correction;
	uint64_t random;
	int64_t now_s;
	double noise; /* standard deviation of ln(time) of a run */
};

static inline void stream_init(struct stream *stream, uint64_t seed, double noise)
{
	struct error error = {0};

	*stream = (struct stream){.random = seed, .now_s = STREAM_START_S, .noise = noise};
	if (correction_new(4096, 256, &stream->correction, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static inline void stream_deinit(struct stream *stream)
{
	correction_free(stream->correction);
}

/* Uniform in [0, 1): splitmix64. */
static inline double stream_uniform(struct stream *stream)
{
	uint64_t x = stream->random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static inline double stream_normal(struct stream *stream)
{
	double radius = sqrt(-2 * log(1 - stream_uniform(stream)));

	return radius * cos(6.283185307179586 * stream_uniform(stream));
}

/* A launch of so many work-items whose static time is given: all of it of one resource, and spent
 * on one kind of work, such as "float add". */
static inline struct correction_launch launch_doing(double items, double static_time_s,
                                                    enum bottleneck resource, const char *work)
{
	struct prediction prediction = {
	        .kernel_time_s = static_time_s,
	        .low_s = static_time_s / 1.9307, /* a standard deviation of 0.4 */
	        .high_s = static_time_s * 1.9307,
	        .epoch = 1,
	        .local = {64, 1, 1},
	};
	struct correction_launch launch;

	prediction.elasticity[resource] = 1;
	prediction.row_count = work != NULL;
	prediction.rows[0].time_s = static_time_s;
	snprintf(prediction.rows[0].what, sizeof(prediction.rows[0].what), "%s", work ? work : "");
	correction_describe((uint64_t)items, &prediction, items, &launch);
	return launch;
}

static inline struct correction_launch launch_of(double items, double static_time_s,
                                                 enum bottleneck resource)
{
	return launch_doing(items, static_time_s, resource, NULL);
}

static inline unsigned stream_report(struct stream *stream, uint32_t uid, uint64_t kernel,
                                     const struct correction_launch *launch, double time_s,
                                     uint32_t flags)
{
	const struct correction_run run = {.device = STREAM_DEVICE,
	                                   .kernel = kernel,
	                                   .uid = uid,
	                                   .flags = flags,
	                                   .time_s = time_s,
	                                   .measured_at_s = stream->now_s++,
	                                   .launch = *launch};
	struct error error = {0};
	unsigned moved = 0;

	if (correction_observe(stream->correction, &run, &moved, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return moved;
}

/* Runs with noise about a time. */
static inline void stream_runs(struct stream *stream, uint32_t uid, uint64_t kernel,
                               const struct correction_launch *launch, double time_s,
                               unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		stream_report(stream, uid, kernel, launch,
		              time_s * exp(stream->noise * stream_normal(stream)), 0);
}

static inline struct correction_answer stream_ask(struct stream *stream, uint32_t uid,
                                                  uint64_t kernel,
                                                  const struct correction_launch *launch)
{
	struct correction_answer answer;

	correction_ask(stream->correction, STREAM_DEVICE, kernel, uid, launch, false, &answer);
	return answer;
}

#endif
