/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered: its types, their names, and how a model adds a row. */
#ifndef PREDICTD_MODEL_PREDICTION_H
#define PREDICTD_MODEL_PREDICTION_H

#include <stdbool.h>
#include <stdint.h>

/* X(NAME, "word", "what") - order is wire format: append only. */
#define KERNEL_MODEL_TABLE(X)                                                                      \
	X(DEFAULT, "default",                                                                      \
	  "soft maximum of launch, arithmetic and memory levels, reuse windows")                   \
	X(PATTERN, "pattern", "the paper's equations 2 to 5 with its five access patterns")        \
	X(UNCACHED, "uncached", "the same without access patterns")

enum kernel_model {
#define X(name, word, what) MODEL_##name,
	KERNEL_MODEL_TABLE(X)
#undef X
	        MODEL_COUNT
};

#define BASIS_TABLE(X)                                                                             \
	X(STATIC, "static")                                                                        \
	X(REFINED, "refined")                                                                      \
	X(OBSERVED, "observed")                                                                    \
	X(FALLBACK, "fallback")                                                                    \
	X(HISTORY, "history") /* a kernel without source, by its runs of other sizes */

enum basis {
#define X(name, word) BASIS_##name,
	BASIS_TABLE(X)
#undef X
	        BASIS_COUNT
};

#define BOTTLENECK_TABLE(X)                                                                        \
	X(LAUNCH, "launch")     /* an empty kernel takes about as long */                          \
	X(DISPATCH, "dispatch") /* work-groups and work-items */                                   \
	X(ARITHMETIC, "arithmetic")                                                                \
	X(LATENCY, "latency") /* too few work-items to hide it */                                  \
	X(LOCAL, "local memory")                                                                   \
	X(ATOMIC, "atomics")                                                                       \
	X(BARRIER, "barriers")                                                                     \
	X(L1, "L1 cache")                                                                          \
	X(L2, "L2 cache")                                                                          \
	X(L3, "L3 cache")                                                                          \
	X(L4, "L4 cache")                                                                          \
	X(DRAM, "memory")                                                                          \
	X(UNKNOWN, "unknown") /* a fallback: the kernel was not analysed */

enum bottleneck {
#define X(name, word) BOTTLENECK_##name,
	BOTTLENECK_TABLE(X)
#undef X
	        BOTTLENECK_COUNT
};

/* What keeps a launch from filling the device. Order is wire format: append only. */
#define OCCUPANCY_LIMIT_TABLE(X)                                                                   \
	X(NONE, "nothing")                                                                         \
	X(LAUNCH, "work-groups of the launch") /* units have room for more than there are */       \
	X(GROUP, "group size")                 /* a unit's room is no multiple of a work-group */  \
	X(REGISTERS, "registers")                                                                  \
	X(LOCAL, "local memory")

enum occupancy_limit {
#define X(name, word) OCCUPANCY_##name,
	OCCUPANCY_LIMIT_TABLE(X)
#undef X
	        OCCUPANCY_LIMIT_COUNT
};

/*
 * How a launch fills the device while it runs: of a GPU the share of a unit's room for work-items
 * that is taken, of a CPU the share of its cores that have a work-group.
 */
struct prediction_occupancy {
	double share;         /* 0 to 1; 0: not known */
	double groups;        /* work-groups that a unit has at once */
	uint8_t limit;        /* enum occupancy_limit */
	uint32_t registers;   /* of 32 bits, that a work-item of a GPU needs at most: an estimate */
	uint64_t local_bytes; /* of a work-group */
	uint32_t multiple;    /* of which a work-group's size had better be one: a warp, a vector */
};

/* The paper's patterns (section 2.5) plus the spaces it tells apart. */
#define PATTERN_TABLE(X)                                                                           \
	X(CONSTANT, "constant")       /* one address for all work-items */                         \
	X(INTERVAL, "interval")       /* a range that fits the cache */                            \
	X(COALESCED, "coalesced")     /* neighbours read neighbours */                             \
	X(REPEATED, "repeated")       /* the same address again, in the same work-item */          \
	X(UNCOALESCED, "uncoalesced") /* the rest */                                               \
	X(LOCAL, "local")                                                                          \
	X(PRIVATE, "private")

enum pattern {
#define X(name, word) PATTERN_##name,
	PATTERN_TABLE(X)
#undef X
	        PATTERN_COUNT
};

enum { PREDICTION_ROWS_MAX = 64, PREDICTION_WHAT_MAX = 64, PREDICTION_NOTE_MAX = 256 };

/* Of a normal distribution: 90 % lie within so many standard deviations. */
static const double NINETY_PERCENT = 1.6448536269514722;

/* A row of Fig. 5a: what, how many (per work-item), and its share of the kernel's time. */
struct prediction_row {
	char what[PREDICTION_WHAT_MAX]; /* "float mul", "coalesced read of a (L2)", "launch" */
	double count;
	double time_s; /* alone: rows of a soft maximum do not add up */
};

/* Per access, for a person and for tests. */
struct prediction_access {
	uint32_t access;          /* index in the kernel */
	uint8_t pattern;          /* enum pattern */
	double segments_per_warp; /* distinct segments that one warp's access touches */
	double bank_ways;         /* local memory: conflict ways, 1 is none */
	double executions;        /* per work-item */
};

enum { PREDICTION_ACCESSES_MAX = 256, WHAT_IFS_MAX = 64 };

/* A change to a kernel, its launch or its data: model/whatif/whatif.h says what each kind is. */
struct what_if {
	uint8_t kind; /* enum what_if_kind; 0: none */
	bool is_sure; /* else it hangs on what the model does not see */
	uint32_t place;
	uint32_t line; /* in the client's source; 0: the kernel's own */
	double detail;
};

struct prediction {
	uint8_t model;        /* enum kernel_model */
	uint8_t basis;        /* enum basis */
	uint8_t bottleneck;   /* enum bottleneck */
	double kernel_time_s; /* START to END, the median expected */
	double low_s, high_s; /* 90 % interval of kernel_time_s */
	double launch_time_s; /* enqueue to START */
	double h2d_time_s, d2h_time_s;
	uint64_t local[3]; /* the work-group size it is for */
	uint64_t epoch;    /* of the device's coefficients */
	bool is_capped;    /* the budget ran out: extrapolated, and the note says so */
	bool is_data_dependent;
	bool is_scalar; /* a CPU runs work-items one by one, not as lanes of vectors: the default
	                   model's */
	/* how the time follows each resource's: d ln(kernel_time_s) / d ln(its time); the default
	 * model's, else all zero */
	float elasticity[BOTTLENECK_COUNT];
	struct prediction_occupancy occupancy; /* the default model's */
	/* of the interval: blocks of the kernel, 0 where it was not analysed; and the variance of
	 * ln(kernel_time_s) from what was assumed of data */
	float pieces, assumed_variance;
	/* where nobody said in which state the device is: ln of how many times the kernel is
	 * shorter and longer in another one, both >= 0; low_s and high_s hold all of them */
	float state_below, state_above;
	/* where somebody did: the standard deviation of ln(kernel_time_s) from one launch in that
	 * state to another */
	float state_sd;
	char note[PREDICTION_NOTE_MAX]; /* assumptions, a fallback's reason; may be empty */
	/* what would go wrong where it ran: accesses beyond an argument, a line each; may be empty
	 */
	char warning[PREDICTION_NOTE_MAX];
	/* the same where data, hints or a sample decide how far the launch gets; may be empty */
	char doubt[PREDICTION_NOTE_MAX];
	uint32_t row_count;
	struct prediction_row rows[PREDICTION_ROWS_MAX];
	uint32_t access_count;
	struct prediction_access accesses[PREDICTION_ACCESSES_MAX];
	uint32_t what_if_count;
	struct what_if what_ifs[WHAT_IFS_MAX];
};

enum { PREDICTION_LINES_MAX = 256 };

/* What a line of the source adds to the kernel's time. */
struct prediction_line {
	uint8_t file; /* as in struct ir_place */
	uint32_t line;
	uint8_t bottleneck; /* enum bottleneck: of what, most of all */
	double share;       /* of kernel_time_s */
};

/* Lines that add anything, in the order of files and lines; shares add up to 1. */
struct prediction_lines {
	uint32_t count; /* 0: the kernel was not analysed, or another model was asked */
	struct prediction_line at[PREDICTION_LINES_MAX];
	double rest;      /* share of the lines that are not among them, which add least */
	double elsewhere; /* of no line: the launch, work-groups and work-items that come */
};

/* Adds a row; the last one gathers what does not fit. */
void row_add(struct prediction *prediction, double count, double time_s, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

const char *kernel_model_name(enum kernel_model model);
int kernel_model_find(const char *name); /* or -1 */
const char *basis_name(enum basis basis);
const char *bottleneck_name(enum bottleneck bottleneck);
const char *pattern_name(enum pattern pattern);

#endif
