/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A calibration under way: the device, its benchmarks' programs and buffers,
 * the time left, and timed launches. The families (calibrate_*.c) share it.
 */
#ifndef PREDICTD_CALIBRATOR_BENCH_H
#define PREDICTD_CALIBRATOR_BENCH_H

#include <stdint.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/node_caches.h"
#include "daemon/calibrator/opencl.h"
#include "daemon/calibrator/repeats.h"
#include "daemon/calibrator/spread.h"
#include "proto/other_load.h"

enum { BENCH_ARGUMENTS_MAX = 8, BENCH_KERNELS_MAX = 64, BENCH_FAMILIES_MAX = 32 };

struct bench {
	struct opencl *opencl;
	struct device *device; /* being filled */
	const struct calibrate_options *options;
	double start_s, end_s; /* of the whole, by clock_now_s */
	bool is_quick, is_gpu;
	size_t local;          /* work-group size of most benchmarks: 256 or what the device has */
	double units;          /* exec.units, once known; compute units before */
	double target_s;       /* how long a timed launch should take */
	double share_s;        /* how long each of those timed together is repeated at most */
	bool has_cpu_clock;    /* processor time of this process tells what a launch costs */
	char options_text[80]; /* of clBuildProgram, for every benchmark */
	cl_program program;    /* the kernels of kernels/ */
	size_t kernel_count;
	struct bench_kernel {
		const char *name;
		cl_kernel kernel;
		bool is_others; /* in a rehearsal: another process compiles it */
	} kernels[BENCH_KERNELS_MAX];
	cl_mem scratch;  /* results, counters; BENCH_SCRATCH_BYTES */
	cl_mem data;     /* zeros; data_bytes */
	void *data_host; /* on a CPU what they lie in; owned */
	size_t data_bytes;
	struct spread spread;  /* launches that tell when all units run */
	struct repeats *joins; /* of two: what launches of empty groups take beyond one group, on
	                         every unit once, and with many groups each; or NULL */
	uint32_t spread_trips; /* of one of their groups */
	double stage_end_s;    /* of the current family */
	int essential;         /* until this coefficient is known, grace_end_s counts; or -1 */
	double grace_end_s;
	double planned_s;                /* for all stages, when the first began */
	double most_end_s, last_s;       /* where end_s and grace_end_s do not go beyond */
	bool is_cut[BENCH_FAMILIES_MAX]; /* stages that time was up for */
	unsigned timed, spread_out;      /* launches, and those whose repeats spread */
	bool is_set[COEFFICIENT_COUNT];  /* by bench_set, since the last second look began */
	unsigned looked, unsettled; /* coefficients seen again, and those of no two alike looks */
	/* what others had of the processors: from one look to the next, and in the mean of the
	 * launches since a coefficient was set that are not its own */
	struct other_load load[2];
	double others_share, others_sum, others_s;
	bool is_told; /* a coefficient was set since the last launches */
	int family;   /* the stage under way; -1: it belongs to others' coefficients */
	int8_t set_by[COEFFICIENT_COUNT];
	double *had; /* of each coefficient of `device`: what others had while it was measured */
	double had_first[COEFFICIENT_COUNT];
	double took_s[BENCH_FAMILIES_MAX];
	struct node_caches node;
	bool is_doubting; /* levels are looked for between the first look's footprints */
	double progress, progress_to;
	const char *stage;
	bool is_rehearsal; /* kernels are compiled, and launched with nothing to do */
	int numbers;       /* where they are drawn: uint16_t that count up */
	int number, next;  /* the one drawn last, and that of what comes next */
};

#define BENCH_SCRATCH_BYTES ((size_t)4 << 20)

struct bench_argument {
	size_t size;
	union {
		cl_mem memory;
		cl_int i32;
		cl_uint u32;
		cl_long i64;
		cl_float f32;
		cl_double f64;
		cl_ushort u16;
	} value;
};

#define ARG_MEM(x)   ((struct bench_argument){sizeof(cl_mem), {.memory = (x)}})
#define ARG_INT(x)   ((struct bench_argument){sizeof(cl_int), {.i32 = (cl_int)(x)}})
#define ARG_UINT(x)  ((struct bench_argument){sizeof(cl_uint), {.u32 = (cl_uint)(x)}})
#define ARG_FLOAT(x) ((struct bench_argument){sizeof(cl_float), {.f32 = (cl_float)(x)}})

/* One launch that is timed. */
struct bench_run {
	cl_kernel kernel;
	size_t groups, local;
	size_t rows;                                         /* of so many groups each; 0: 1 */
	struct bench_argument argument[BENCH_ARGUMENTS_MAX]; /* up to the first of size 0 */
	bool is_parallel; /* only launches count in which all units ran all the time, if any did */
	/* out */
	double time_s;         /* device-seconds of the launch, median: see bench_time */
	double event_s;        /* median START to END */
	double enqueue_s;      /* median QUEUED to START */
	double standard_error; /* relative, of time_s */
	double event_error;    /* of event_s */
};

/* Programs, kernels, buffers. bench_close accepts what is half open. */
enum status bench_open(struct bench *bench, struct error *error);
void bench_close(struct bench *bench);

/* A kernel of kernels/ by name; made at its first use. */
enum status bench_kernel(struct bench *bench, const char *name, cl_kernel *kernel,
                         struct error *error);

/*
 * Whether this process compiles what comes next. In a rehearsal (rehearsal.h) all processes come
 * by the same things in the same order, and each does those whose numbers it draws; else true.
 */
bool bench_takes(struct bench *bench);

/* Makes `data` at least so large (zeroed), or as large as the device allows. */
enum status bench_grow_data(struct bench *bench, size_t bytes, struct error *error);

/* Fills the data with zeros. */
enum status bench_clear_data(struct bench *bench, struct error *error);

/*
 * Times runs in turn, each several times, until every relative standard error
 * is at most 2 % or the share of time for it is up. On a CPU whose kernels run
 * in this process time_s is processor time over units: whether a second thread
 * wakes within a millisecond is the operating system's whim, and other
 * processes take their turns. Elsewhere time_s is event_s. STATUS_TIMEOUT when the
 * calibration's time is: then nothing is known.
 */
enum status bench_time(struct bench *bench, struct bench_run *runs, size_t count,
                       struct error *error);

/* One launch: START to END, and the processor time that this process spent on it. */
enum status bench_once(struct bench *bench, const struct bench_run *run, double *event_s,
                       double *spent_s, struct error *error);

/* One launch, whose times become the run's. */
enum status bench_run_once(struct bench *bench, struct bench_run *run, struct error *error);

/*
 * Launches in a row, each right behind the one before: medians of START to END and of QUEUED to
 * START, from when threads have found their places. The system moves a thread that waits beside
 * another one only after some milliseconds.
 */
enum status bench_time_settled(struct bench *bench, struct bench_run *run, struct error *error);

/*
 * Multiplies *amount (a field of the run, or of an argument of it) until one
 * launch takes target_s, or the next would pass `most`.
 */
enum status bench_lengthen_rows(struct bench *bench, struct bench_run *run, size_t most,
                                struct error *error);
enum status bench_lengthen_groups(struct bench *bench, struct bench_run *run, size_t most,
                                  struct error *error);
enum status bench_lengthen_argument(struct bench *bench, struct bench_run *run, unsigned argument,
                                    uint32_t most, struct error *error);

/*
 * Times a loop by its trips, argument number `argument` of runs[0] (at most `most`), against a
 * quarter of them, which becomes runs[1]; *more is how many trips runs[0] has more.
 */
enum status bench_time_trips(struct bench *bench, struct bench_run runs[2], unsigned argument,
                             uint32_t most, double *more, struct error *error);

/* Says how much others had of the processors lately (bench->others_share). */
void bench_look_at_others(struct bench *bench);

/* Until others disturb no more, as far as is known, for most_s at most; whether they do not. */
bool bench_wait_for_others(struct bench *bench, double most_s);

/* Records a coefficient; what is not finite or below 0 is left unknown. */
void bench_set(struct bench *bench, unsigned id, double value, double standard_error);

/*
 * Records (with - without) / divisor, at least 0, with the error of the
 * difference.
 */
void bench_set_difference(struct bench *bench, unsigned id, const struct bench_run *with,
                          const struct bench_run *without, double divisor);

/* The relative standard error of with - without; at most 1. */
double bench_difference_error(const struct bench_run *with, const struct bench_run *without);

/* Whether the time of the current family is up. */
bool bench_is_late(const struct bench *bench);

/* Says how far the current stage is (0 to 1). */
enum status bench_progress(struct bench *bench, double done, struct error *error);

/* The value so far, or `otherwise`. */
double bench_value(const struct bench *bench, unsigned id, double otherwise);

/* The first five arguments of a chain's kernel (op_source.h), in calibrate_op.c. */
struct op_chain;
void op_arguments(const struct op_chain *chain, enum type_class type, cl_mem out,
                  struct bench_argument *argument);

/*
 * A few launches for exec.spread.time_s; between the families, once units are known. The
 * coefficient is set before whole kernels are compared with it, and at the end.
 */
enum status calibrate_spread_some(struct bench *bench, unsigned rounds, struct error *error);
void calibrate_spread_end(struct bench *bench);

/* Families, in calibrate_*.c; each sets its coefficients as it finds them. */
enum status calibrate_launch(struct bench *bench, struct error *error);
enum status calibrate_launch_costs(struct bench *bench, struct error *error); /* its second look */
enum status calibrate_idle(struct bench *bench, struct error *error);
enum status calibrate_units(struct bench *bench, struct error *error);
enum status calibrate_execution(struct bench *bench, struct error *error);
enum status calibrate_fetch(struct bench *bench, struct error *error);
enum status calibrate_op_main(struct bench *bench, struct error *error);
enum status calibrate_op_first(struct bench *bench, struct error *error); /* its second look */
enum status calibrate_op_common(struct bench *bench, struct error *error);
enum status calibrate_op_more(struct bench *bench, struct error *error);
enum status calibrate_access(struct bench *bench, struct error *error);
enum status calibrate_memory(struct bench *bench, struct error *error);
enum status calibrate_memory_streams(struct bench *bench, struct error *error); /* likewise */
enum status calibrate_overlap(struct bench *bench, struct error *error);
enum status calibrate_local(struct bench *bench, struct error *error);
enum status calibrate_atomic(struct bench *bench, struct error *error);
enum status calibrate_transfer(struct bench *bench, struct error *error);
enum status calibrate_image(struct bench *bench, struct error *error);
enum status calibrate_paper(struct bench *bench, struct error *error);
enum status calibrate_paper_op(struct bench *bench, struct error *error);
enum status calibrate_build(struct bench *bench, struct error *error);
enum status calibrate_again(struct bench *bench, struct error *error); /* second looks */
enum status calibrate_corpus(struct bench *bench, struct error *error);

#endif
