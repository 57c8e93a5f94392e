/* SPDX-License-Identifier: Apache-2.0 */
/* A tuner's state: what was told, what was measured, what is expected. */
#ifndef PREDICTD_CLIENT_LIBRARY_TUNE_H
#define PREDICTD_CLIENT_LIBRARY_TUNE_H

#include "client/library/tune_drift.h"
#include "client/library/tune_model.h"
#include "client/predictd.h"

enum { TUNE_RUNS_MAX = 64, TUNE_MARKS = DRIFT_WINDOWS + 1 };

struct configuration_runs {
	size_t count;    /* since times last drifted */
	double *times_s; /* room for as many as were reported, TUNE_RUNS_MAX at most */
	double median_s; /* INFINITY: it failed */
	bool has_run;    /* ever */
	bool is_cold;    /* once alone, online: it is to run again, and this time to be left out */
};

/* What remains open: the chance that any is faster, the most that one promises, and which. */
struct tune_outlook {
	double chance, gain;
	size_t next;     /* SIZE_MAX: none */
	size_t finalist; /* to be run again; SIZE_MAX: none */
	bool is_searching;
};

/* Of a search inside a program that works. */
struct tune_online {
	bool has_explored; /* the last run was not the best's */
	bool is_settled;   /* on an earlier choice, until it turns out to be no good */
	size_t cold;       /* to be run again; SIZE_MAX: none */
	/* by how much first runs were slower than the second ones: mean of logarithms, >= 0 */
	double cold_log;
	size_t cold_count;
	size_t start; /* an earlier choice, to begin with; SIZE_MAX: none */
	double start_s;
	uint64_t drift_count;
	struct drift drift; /* of the best, which has DRIFT_REFERENCE runs */
	/*
	 * What the model's means were when each of the best's last windows began: what was measured
	 * while times drifted is left out by going back.
	 */
	double *marks[TUNE_MARKS]; /* the oldest first */
	size_t rows[TUNE_MARKS];   /* of the model, then */
	size_t mark_count;
};

struct predictd_tuner {
	predictd_tuning own; /* its pointers: NULL */
	uint16_t *values;
	double *expected; /* log of predicted seconds */
	bool *is_able;
	bool is_blind; /* nothing is predicted, and nothing has run: `expected` says nothing */
	struct configuration_runs *runs;
	struct tune_model model;
	size_t best; /* SIZE_MAX: none */
	size_t measured_count, failed_count;
	struct tune_online online;
	struct tune_outlook *outlook; /* of now, where `is_seen`; both change with what is asked */
	bool *is_seen;
};

/* How things stand, looked at again only where something has changed. */
const struct tune_outlook *tune_look(const predictd_tuner *tuner);

/* What a configuration takes corrects what is expected of the others. */
void tune_teach(predictd_tuner *tuner, size_t configuration);

/* ---- online (tune_online.c) ---------------------------------------------------------------- */

/* False: no memory. */
bool tune_online_init(predictd_tuner *tuner);
void tune_online_deinit(predictd_tuner *tuner);

/* Begins with an earlier choice, which took time_s. False: it cannot run. */
bool tune_online_begin(predictd_tuner *tuner, size_t configuration, double time_s, bool was_over);

/* The logarithm of what a configuration that has run is expected to take. */
double tune_online_expected(const predictd_tuner *tuner, size_t configuration);

/* The second run of one whose first took cold_s. */
void tune_online_warm(predictd_tuner *tuner, double cold_s, double time_s);

/* What to run next; SIZE_MAX: nothing is left. */
size_t tune_online_next(const predictd_tuner *tuner);

/*
 * A run that changes no median: one of a configuration that has had DRIFT_REFERENCE. False: it is
 * to be counted as any.
 */
bool tune_online_take(predictd_tuner *tuner, size_t configuration, double time_s);

/* A run was counted; `best_before` is what was best before it. */
void tune_online_counted(predictd_tuner *tuner, size_t configuration, size_t best_before);

#endif
