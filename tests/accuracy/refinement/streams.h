/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded streams of run times (tests/accuracy/record-streams), and what tests of
 * refinement do with them: a seeded generator, medians, and a correction that is asked and taught.
 */
#ifndef PREDICTD_TESTS_REFINEMENT_STREAMS_H
#define PREDICTD_TESTS_REFINEMENT_STREAMS_H

#include "model/correction/correction.h"

enum { RUNS_MAX = 256, NAME_MAX_BYTES = 96, DEVICE_KEY = 1, USER = 1000 };

struct stream_launch {
	char name[NAME_MAX_BYTES];
	uint64_t kernel; /* index of its name, from 1 */
	double items, static_time_s;
	struct correction_launch launch;
	uint32_t run_count;
	double times_s[RUNS_MAX]; /* in the order of measurement */
	uint32_t round[RUNS_MAX];
};

struct streams {
	char device[NAME_MAX_BYTES]; /* the file's name */
	struct stream_launch *launches;
	uint32_t count, kernel_count;
};

/* Ends the program with a sentence where the file is not what it should be. */
void streams_load(const char *path, struct streams *streams);
void streams_free(struct streams *streams);

struct random {
	uint64_t state;
};
double random_uniform(struct random *random); /* [0, 1) */
void random_shuffle(struct random *random, uint32_t *values, uint32_t count);

/* A sample of figures, of which medians are taken. */
struct figures {
	double *values;
	uint32_t count, room;
};
void figures_add(struct figures *figures, double value);
double figures_quantile(struct figures *figures, double quantile); /* sorts; NAN of none */
double figures_mean(const struct figures *figures);
void figures_free(struct figures *figures);

double median_of(const double *values, uint32_t count);

struct correction *correction_fresh(void);
void teach(struct correction *correction, const struct stream_launch *launch, uint32_t uid,
           double time_s, uint32_t at_s);
struct correction_answer ask(struct correction *correction, const struct stream_launch *launch,
                             uint32_t uid);

#endif
