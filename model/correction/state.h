/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside model/correction*.c: the pools that records live in, and what is derived
 * from them. Indices instead of pointers; NONE is no index.
 */
#ifndef PREDICTD_MODEL_CORRECTION_STATE_H
#define PREDICTD_MODEL_CORRECTION_STATE_H

#include "model/correction/correction.h"

#define NONE UINT32_MAX

enum {
	NOISE_BINS = 5,  /* of static time, a decade each: to 10 us, ..., from 10 ms */
	POINTS_MAX = 12, /* launches that one fit conditions on */
	REGIMES_MAX = 4, /* shifts of a device's times that are remembered */
	REPORTER_BUCKETS = 1024,
	SETTLE_ROUNDS = 2,
	VIEWS_MAX = 8192,     /* fits kept; others are made again when asked for */
	ORDER_STEPS_MAX = 64, /* how far a late report is put in its place */
	TRAITS = 2,
	WORK_KINDS = 45,                                   /* that rows of a breakdown are about */
	FEATURES = BOTTLENECK_COUNT + TRAITS + WORK_KINDS, /* of a launch, in the regression of
	                                                      residuals */
	VISIT_S = 600,     /* a pause after which other circumstances are likely */
	GROUP_CELLS = 1024 /* records of a kernel on a device */
};

/* How much is known of the launch asked about. */
enum score_class {
	SCORE_COLD,               /* nothing of the kernel */
	SCORE_KERNEL_ONE,         /* the kernel at another launch */
	SCORE_KERNEL,             /* the kernel at other launches */
	SCORE_ONE,                /* one run */
	SCORE_FEW,                /* 2 or 3 */
	SCORE_SOME,               /* 4 to 9 */
	SCORE_MANY,               /* 10 and more */
	SCORE_RUNS,               /* the end of those */
	SCORE_VISIT = SCORE_RUNS, /* the first run after a pause; not standardised */
	SCORE_CLASSES
};

/* What the runs of one launch by one user come to. */
struct location {
	double time_log;   /* of the median expected */
	double median_log; /* of the runs there are */
	double variance;   /* of time_log */
	double spread;     /* standard deviation of a run about it */
	double count;      /* effective number of runs; below 1 where they were disturbed */
};

/*
 * What many kernels say of a device. Floats alone: the effects that users
 * share are medians, number by number.
 */
struct effects {
	float bias[FEATURES]; /* of each resource's time, each trait and each kind of work, as ln */
	float scale;          /* of the variance of static residuals */
	float noise[NOISE_BINS]; /* standard deviation of a run about its launch's median */
	float low[SCORE_CLASSES], high[SCORE_CLASSES]; /* 5 and 95 % of standardised scores */
	float kernels;                                 /* that it rests on */
};

/* An answer that moves by more is another answer: ln(1.02). */
#define CORRECTION_MOVE 0.0198

_Static_assert((int)FEATURES <= (int)CORRECTION_SHARES, "a launch has room for its features");

enum { EFFECT_COUNT = sizeof(struct effects) / sizeof(float) };

/* A shift of the device's times, all launches alike, that began in the second since_s: runs of that
 * very second may be of before. */
struct regime {
	uint32_t since_s;
	float level; /* ln, against the times before the first */
};

/* A cumulative sum of standardised residuals, since it left zero. */
struct drift_sum {
	double value;
	uint32_t since_s, runs;
	uint64_t kernels; /* a bit per kernel, by hash */
};

struct drift {
	struct drift_sum up, down;
	double recent[16]; /* the last residuals, a ring */
	uint32_t recent_count;
	uint32_t latest_s;
	uint32_t runs; /* since the last regime began */
	uint32_t regime_count;
	struct regime regimes[REGIMES_MAX];
};

struct cell {
	struct correction_record record;
	uint32_t group, reporter;
	uint32_t hash_next, group_next, group_previous;
	uint32_t newer, older; /* of the reporter's, by when it was reported last */
	uint32_t changed_next;
	uint32_t version; /* of the reporter's, that `location` was made with; 0: none */
	bool is_used, is_removed, is_changed;
	struct location location;
};

/* The records of one kernel on one device. */
struct group {
	uint64_t kernel;
	uint32_t device, first_cell, cell_count, hash_next;
	uint32_t version; /* raised with every change */
	uint32_t changes; /* since users together were looked at */
	uint32_t taken;   /* records of one user, while his effects are made */
};

enum {
	OVERHEAD_SAMPLES = 16,
	OVERHEAD_SIZES = 3 /* of the static time: to 100 us, to 10 ms, more */
};

/* The newest ratios of one kind and size, as ln. */
struct overhead {
	float ratios[OVERHEAD_SAMPLES]; /* a ring */
	uint32_t count;                 /* ever */
	float estimate;                 /* made anew now and then */
};

struct overheads {
	struct overhead of[CORRECTION_OVERHEADS][OVERHEAD_SIZES];
};

/* A user's records of one device. */
struct reporter {
	uint32_t uid, device, hash_next;
	uint32_t newest, oldest, cell_count;
	uint32_t version;
	uint32_t changes; /* since effects were made */
	bool is_used;
	struct effects effects;
	struct effects announced;
	struct drift drift;
	struct overheads overheads;
	bool is_changed; /* of drift or overheads: to be saved */
	bool distrusts_site;
	uint32_t site_version; /* of the device's, that it was found with; 0: none */
};

struct device_state {
	uint64_t key;
	uint8_t kind;            /* enum correction_kind: what kernels and tasks take is apart */
	uint32_t reporter_count; /* with the site */
	uint32_t version;        /* of shared effects */
	uint32_t site_version;   /* raised when the site says something else */
	bool has_shared, has_daemon, has_site;
	struct effects shared, announced;
	float overheads[CORRECTION_OVERHEADS][OVERHEAD_SIZES]; /* that users share, as ln */
};

/* One launch that a fit conditions on; where its own word stands, its answer is `static_log` +
 * the process. */
struct point {
	uint64_t key, epoch;
	float static_log, static_sd, items_log, group_log;
	float base;     /* static_log and the device's effect on the launch */
	float residual; /* of its location, less the device's effect */
	float first;    /* the same of its oldest run */
	float variance; /* of that, by its runs */
	float noise;    /* the same as conditioned on: single runs that seem accidents have more */
	float spread;   /* of a run about its location */
	float between;  /* variance between users, where it is shared */
	float count;
	float weight;    /* of K^-1 residual */
	float announced; /* ln of the answer, when it moved last */
	uint32_t at_s;   /* of its newest run */
	uint8_t share[BOTTLENECK_COUNT];
	bool is_level; /* of the kernel as a whole, no launch of it */
	bool is_shared;
};

/* The fit of a kernel on a device for one user (or NONE: for who reported nothing). */
struct view {
	uint32_t group, reporter, hash_next;
	uint32_t newer, older;
	uint32_t group_version, reporter_version, device_version;
	uint32_t point_count;
	uint64_t runs;
	float amplitude; /* variance of static residuals */
	float allowance; /* by how much it is larger because this kernel's are */
	float rough;     /* of what its launches do not have in common */
	float center;    /* of items_log: where the trend turns */
	float factor[POINTS_MAX * (POINTS_MAX + 1) / 2]; /* Cholesky factor, rows */
	struct point points[POINTS_MAX];
	bool has_moved; /* some answer, since observe looked last */
};

/* Effects on their way to what the records say. */
struct settling {
	bool is_stale[CORRECTION_DEVICES];
	unsigned round; /* SETTLE_ROUNDS: done */
	uint32_t index; /* of the next reporter */
};

/* Whose state is to be deleted. */
struct gone_user {
	uint64_t device;
	uint32_t uid, kind;
};

struct correction {
	size_t records_max;
	struct cell *cells;
	struct group *groups;
	struct view *views;
	struct reporter *reporters;
	struct device_state devices[CORRECTION_DEVICES];
	uint32_t *cell_buckets, *group_buckets, *view_buckets;
	uint32_t reporter_buckets[REPORTER_BUCKETS];
	uint32_t bucket_mask, view_mask;
	uint32_t cell_free, cell_top; /* free list; cells ever used */
	uint32_t cell_count;          /* of users */
	uint32_t site_count, site_max;
	uint32_t cell_max;
	uint32_t group_free, group_top;
	uint32_t view_newest, view_oldest, view_top, view_max;
	uint32_t device_count;
	uint32_t changed_first, changed_last;
	uint64_t runs;
	struct effects initial;
	struct settling settling;
	struct gone_user gone_users[CORRECTION_USERS]; /* beyond it, the next load finds them */
	uint32_t gone_user_count, changed_users;
	float *scratch; /* SCRATCH_FLOATS */
};

enum {
	SCORES_MAX = 1024,    /* held-out scores of a class that quantiles are made of */
	EFFECT_CELLS = 256,   /* records that a user's effects are made of */
	EFFECT_VISITS = 4096, /* newest records that they are taken from */
	SCRATCH_FLOATS = SCORE_CLASSES * SCORES_MAX
};

/* ---- correction/pool.c: find, add, remove --------------------------------------------------- */

uint32_t device_find(const struct correction *c, uint64_t key, uint32_t kind); /* or NONE */
uint32_t reporter_find(const struct correction *c, uint32_t device, uint32_t uid);
uint32_t group_find(const struct correction *c, uint32_t device, uint64_t kernel);
uint32_t cell_find(const struct correction *c, uint32_t group, uint32_t reporter, uint64_t launch);
/* The cell of a record's keys, made where there is none (what it displaces is gone then). */
enum status correction_cell(struct correction *c, uint64_t device, uint64_t kernel, uint32_t uid,
                            const struct correction_launch *launch, uint32_t *cell,
                            struct error *error);
void cell_remove(struct correction *c, uint32_t cell);
void cell_touch(struct correction *c, uint32_t cell);           /* the newest of its reporter's */
void cell_change(struct correction *c, uint32_t cell);          /* to be saved */
bool cell_is_after(const struct cell *a, const struct cell *b); /* reported later */
/* Whether the device has users enough, or the daemon's word, for what they share. */
bool device_may_share(const struct device_state *device);
/* The view of a group and reporter (or NONE); made empty where there is none. */
struct view *view_get(struct correction *c, uint32_t group, uint32_t reporter);

/* ---- correction/location.c ------------------------------------------------------------------ */

/*
 * The first `count` (> 0) samples, oldest first. noise: the standard deviation expected of a run;
 * static_log: ln of the time expected before any.
 */
void locate(const struct correction_sample *samples, uint32_t count, double noise,
            const struct drift *drift, double static_log, struct location *location);
const struct location *cell_location(struct correction *c, uint32_t cell);
/* Appends held-out scores of one cell's runs, each from those before it. */
void cell_scores(const struct correction *c, uint32_t cell, float *scores[SCORE_CLASSES],
                 uint32_t counts[SCORE_CLASSES]);
enum score_class score_class_of(double count);
/* When the reporter measured anything last: nearest to now. */
uint32_t reporter_latest_s(const struct correction *c, uint32_t reporter);

/* ---- correction/fit.c ----------------------------------------------------------------------- */

/* The fit, made anew where evidence has changed. */
struct view *view_fresh(struct correction *c, uint32_t group, uint32_t reporter);
/* Mean and variance of a launch's residual (less the device's effect), and its point or NULL. */
const struct point *view_at(const struct view *view, const struct correction_launch *launch,
                            double *mean, double *variance);
/* Appends how far each launch's residual is from what the kernel's others say, beyond what its runs
 * scatter, in standard deviations. */
void view_scores(const struct view *view, const struct effects *effects,
                 float *scores[SCORE_CLASSES], uint32_t counts[SCORE_CLASSES]);
/* Of a launch that the fit has no point of. */
enum score_class score_class_unseen(const struct view *view);

/* ---- correction/effects.c ------------------------------------------------------------------- */

void effects_init(struct effects *effects);
/* What holds for a reporter (or NONE) on a device. */
const struct effects *effects_of(const struct correction *c, uint32_t device, uint32_t reporter);
double effects_bias(const struct effects *effects, const struct correction_launch *launch);
double effects_noise(const struct effects *effects, double time_log);
unsigned noise_bin(double time_log); /* of a static time, ln of seconds */
/* Makes a reporter's effects anew where enough has changed; then those that users share. */
void effects_refresh(struct correction *c, uint32_t reporter);

/* ---- correction/regress.c ------------------------------------------------------------------- */

/* One launch in the regression of a device's residuals. */
struct datum {
	uint32_t cell, group;
	double residual, deviation; /* and the model's own of that */
	double static_log, first;   /* first: of its oldest run, from its location */
	double weight;              /* one by kernel in all */
	double error;               /* of what is learned of the other kernels alone */
	double pull;                /* its weight in the end */
	const uint8_t *share;
};

/* Biases of the features that any launch has, about those of `prior`, and each launch's error. */
void regress(struct datum *data, uint32_t count, const float *prior, float *bias);

/* ---- correction/excess.c -------------------------------------------------------------------- */

/* Makes residuals those of later runs: less what first runs exceed them by, as far as the launches
 * themselves show it. */
void take_off_excess(struct correction *c, struct datum *data, uint32_t count);

/* ---- correction/work.c ---------------------------------------------------------------------- */

/* The kind of work that a row's words are about; WORK_KINDS: none. */
unsigned work_kind(const char *what);
void work_fill(const struct prediction *prediction, uint8_t share[WORK_KINDS]);

/* ---- correction/drift.c --------------------------------------------------------------------- */

/* Of a run of that time, beside the newest of its launch: each shift between them makes it less. */
double drift_weight(const struct drift *drift, uint32_t at_s, uint32_t newest_s);
double drift_shift(const struct drift *drift, uint32_t at_s); /* from that time to now, as ln */
uint32_t drift_since_s(const struct drift *drift);            /* 0: no shift was noticed */
bool drift_is_on(const struct drift *drift);
/* A residual of a run against what was known of its launch. True when a regime begins. */
bool drift_add(struct drift *drift, uint64_t kernel, double residual, double deviation,
               uint32_t at_s, uint32_t kernels);
/* Standard deviation to add to an answer about what was measured last at that time. */
double drift_deviation(const struct drift *drift, uint32_t at_s);

/* ---- correction/overhead.c ------------------------------------------------------------------ */

/* Takes what a run says of overheads; true when answers moved to this user, or for all. */
bool overheads_add(struct correction *c, uint32_t reporter, const struct correction_run *run,
                   bool *is_shared);
void user_change(struct correction *c, uint32_t reporter);
/* The reporter is none any more. */
void user_remove(struct correction *c, uint32_t reporter);

/* ---- correction/site.c ---------------------------------------------------------------------- */

/* What the site says of a launch. */
struct site_answer {
	double time_log, variance;
	enum score_class class;
	uint32_t nodes;
};

bool site_is(const struct correction *c, uint32_t reporter);     /* false of NONE */
uint32_t site_find(const struct correction *c, uint32_t device); /* its reporter, or NONE */
/* A user ran a launch: whether he trusts the site is to be looked at anew. */
void site_note_run(struct correction *c, uint32_t cell);
/* False: nothing that counts for the reporter (or NONE). has_local: something is known of the
 * kernel here, which says more of launches that the site did not see. */
bool site_ask(struct correction *c, uint32_t group, uint32_t reporter, bool has_local,
              const struct correction_launch *launch, struct site_answer *answer);

static inline void site_raise(struct device_state *device)
{
	device->site_version += device->site_version == UINT32_MAX ? 2 : 1; /* never 0 */
}

/* ---- correction/correction.c ---------------------------------------------------------------- */

/* What is out of range in a record from outside, or NULL. */
const char *record_problem(const struct correction_record *record);
/* Puts it in, in place of any of the same key; its cell. */
enum status record_put(struct correction *c, const struct correction_record *record, uint32_t *cell,
                       struct error *error);

/* ---- correction/task.c ---------------------------------------------------------------------- */

/* After a run of a kernel moved answers: what is expected of the user's tasks, of that kernel or
 * (his newest) of the device, is what it is now. */
void tasks_restate(struct correction *c, const struct correction_run *run, unsigned moved);

/* ---- common --------------------------------------------------------------------------------- */

/* Sorts floats upwards. */
void floats_sort(float *values, uint32_t count);

/* Sorts floats, one at least, and returns their median: of an even number the mean of both in the
 * middle. */
double floats_median(float *values, uint32_t count);

#endif
