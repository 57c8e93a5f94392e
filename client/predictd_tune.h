/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which variants of a kernel are measured. <predictd.h> includes this. */
#ifndef PREDICTD_TUNE_H
#define PREDICTD_TUNE_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The source under `count` build options, behind its own, sooner than one by one. One that is
 * refused has its status in statuses[i], and programs[i] is NULL; predictd_error_text() is of the
 * first of them. PREDICTD_OK even so; another status is that of all, and no program is given.
 */
predictd_status predictd_register_variants(predictd_connection *connection,
                                           const predictd_source *source,
                                           const char *const *options, size_t count,
                                           predictd_program **programs, predictd_status *statuses);

/*
 * A search for the fastest of many configurations, led by what was predicted for each. It runs
 * nothing: predictd_tuner_next says what to measure, predictd_tuner_report what that took. What was
 * measured corrects what is expected of the rest: errors of predictions are alike where parameters
 * are alike. One thread at a time may use a tuner.
 */
typedef struct predictd_tuner predictd_tuner;

enum { PREDICTD_TUNE_PARAMETERS_MAX = 64, PREDICTD_TUNE_CONFIGURATIONS_MAX = 1 << 20 };

/* Online, nothing is tried that is expected to take longer than so often what the best takes. */
#define PREDICTD_TUNE_SLOWER_MAX 1.3

typedef struct predictd_tuning {
	size_t size;                /* sizeof(predictd_tuning) */
	size_t parameter_count;     /* 0 to PREDICTD_TUNE_PARAMETERS_MAX */
	size_t configuration_count; /* 1 to PREDICTD_TUNE_CONFIGURATIONS_MAX; the valid ones */
	/* which of its values a parameter has: [configuration * parameter_count + parameter]. What
	 * matters is which are equal */
	const uint16_t *values;
	/* seconds, one a configuration. INFINITY: it cannot run, and is never proposed. NAN: not
	 * known; it is taken as the median of what is known, or where nothing is, as the first run
	 */
	const double *predicted_s;
	const double *low_s, *high_s; /* their 90 % intervals; NULL: not known */
	/*
	 * The search ends when the chance that any other configuration is faster than the best one
	 * by a share `gain` is below `chance`: 0: 0.02 and 0.1.
	 */
	double gain, chance;
	size_t measured_max; /* different configurations that are measured at most; 0: all */
	/* How often those that may be the best are measured in the end, in turns, so that one
	 * lucky run does not win; what counts is a configuration's median. 0: 3 */
	size_t final_runs;
	/*
	 * Inside a program that works: each of its launches asks predictd_tuner_next and reports.
	 * Every other one, at most, is of another configuration than the best: never of one that is
	 * expected to take longer than PREDICTD_TUNE_SLOWER_MAX times what the best takes, nor, as
	 * long as none has run, of any but the fastest expected. When the search is over, the best
	 * is proposed on and on, and tested for drift. Where its times have drifted, what was
	 * measured is stale, and the search goes on from what is expected then.
	 */
	bool is_online;
} predictd_tuning;

typedef struct predictd_candidate {
	size_t configuration;
	double expected_s, low_s, high_s; /* corrected by what was measured; 90 % interval */
	double gain_chance;               /* that it is faster than the best by the share `gain` */
	bool is_final;                    /* it was measured before, and is or may be the best */
	/* it has never run: its result is to be checked; report INFINITY where that is wrong */
	bool is_new;
	uint64_t reserved[2]; /* 0 */
} predictd_candidate;

typedef struct predictd_tuned {
	size_t best;                         /* its number; SIZE_MAX: nothing has run yet */
	double best_s;                       /* the median of its runs */
	size_t measured_count, failed_count; /* different configurations */
	/* that any other is faster by the share `gain`; and how much faster the best is expected to
	 * become, as a share: 0 to 1 */
	double gain_chance, gain_expected;
	bool is_over; /* online, it may go on: where the best turns out to be slower, or drifts */
	uint64_t drift_count; /* how often the best's times have drifted; counts start anew then */
	uint64_t reserved[3]; /* 0 */
} predictd_tuned;

/*
 * A search in which nothing is measured yet. Everything is copied.
 *
 * tuner   out: the caller's, to predictd_tuner_free
 *
 * PREDICTD_INVALID: a time or an interval that is negative or in the wrong order, a share that is
 * not below 1. PREDICTD_LIMIT: too many. PREDICTD_UNSUPPORTED: none can run.
 */
predictd_status predictd_tuner_new(const predictd_tuning *tuning, predictd_tuner **tuner);
void predictd_tuner_free(predictd_tuner *tuner); /* accepts NULL */

/*
 * What to measure next; asked again before a report, the same.
 *
 * PREDICTD_NOT_FOUND: the search is over. Online: all have failed.
 */
predictd_status predictd_tuner_next(predictd_tuner *tuner, predictd_candidate *candidate);

/*
 * What a configuration took, proposed or not; several times of one are several runs. Online, its
 * first 40 are its time, and what else the best takes tells drift.
 *
 * time_s   of a run, > 0; INFINITY: it failed, or its result is wrong, and is never best
 *
 * PREDICTD_INVALID: no such configuration or time. PREDICTD_NO_MEMORY: nothing has changed.
 */
predictd_status predictd_tuner_report(predictd_tuner *tuner, size_t configuration, double time_s);

/* How far it is. */
void predictd_tuner_get(const predictd_tuner *tuner, predictd_tuned *tuned);

/* What is expected of every configuration now, seconds; INFINITY: it cannot run, or failed. */
void predictd_tuner_expected(const predictd_tuner *tuner, double *expected_s);

/*
 * What a choice is kept by in the daemon, for the same user: this, what the tuner's configurations
 * are, the device, and the driver that it has. What else a kernel is made of (its source) belongs
 * into the name.
 */
enum { PREDICTD_CHOICE_NAME_MAX = 127, PREDICTD_CHOICE_SIZES_MAX = 16 };

typedef struct predictd_choice {
	size_t size;           /* sizeof(predictd_choice) */
	const char *name;      /* of what is tuned: 1 to PREDICTD_CHOICE_NAME_MAX bytes */
	const char *device;    /* as of a predictd_question */
	const uint64_t *sizes; /* of the problem, or whatever else a choice depends on */
	size_t size_count;     /* 0 to PREDICTD_CHOICE_SIZES_MAX */
} predictd_choice;

/*
 * Looks for the choice of an earlier run, which is what an online tuner that has no report yet
 * begins with. Where its search was over, it is the best until it fails, drifts, or turns out to
 * take more than PREDICTD_TUNE_SLOWER_MAX times what it took; else the search goes on from it.
 *
 * connection   NULL: there is none
 *
 * Takes 50 ms at most, and changes nothing where it fails. PREDICTD_NOT_FOUND: there is none for
 * this driver, or it cannot run. PREDICTD_UNAVAILABLE, PREDICTD_TIMEOUT: the daemon is away.
 * PREDICTD_INVALID: not an online tuner, or one that has had a report.
 */
predictd_status predictd_tuner_find(predictd_tuner *tuner, predictd_connection *connection,
                                    const predictd_choice *choice);

/*
 * Keeps the best so far, in place of what was kept before. The daemon keeps 1,000 choices of a
 * user; of more, what was used longest ago goes.
 *
 * Takes 50 ms at most; after PREDICTD_TIMEOUT it may be kept all the same. PREDICTD_NOT_FOUND:
 * nothing has run.
 */
predictd_status predictd_tuner_keep(const predictd_tuner *tuner, predictd_connection *connection,
                                    const predictd_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
