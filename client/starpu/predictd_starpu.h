/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictd for StarPU 1.3: a codelet's performance model that knows how long a task will take on
 * each device before anything has run.
 *
 *     static void scale_launch(struct starpu_task *task, predictd_starpu_launch *launch) { ... }
 *     static predictd_starpu scale = {.file = "scale.cl", .kernel = "scale", .launch =
 * scale_launch};
 *     ...
 *     starpu_init(NULL);
 *     predictd_starpu_attach(&scale, &scale_codelet);
 *
 * Tasks are submitted as before, under a scheduler that uses performance models (dmda, dmdas,
 * modular-heft). What runs is observed, and refines the next answers. No call fails because
 * predictd is away, hangs, or ends: tasks are then placed by StarPU's own history. What
 * predictd_starpu_ functions return is what is wrong with their arguments alone.
 *
 * All functions may be called by any thread, except where they say otherwise.
 */
#ifndef PREDICTD_STARPU_H
#define PREDICTD_STARPU_H

#include <predictd.h>
#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PREDICTD_STARPU_VALUES = 64, PREDICTD_STARPU_BYTES = 512 };

/* What a task launches; made by the functions below. */
typedef struct predictd_starpu_launch {
	uint32_t dimensions;
	uint64_t global[3], local[3]; /* work-items; local zeros: the runtime chooses */
	size_t count;                 /* arguments so far */
	bool is_wrong;                /* too many, or too large */
	predictd_value values[PREDICTD_STARPU_VALUES];
	size_t used;
	unsigned char bytes[PREDICTD_STARPU_BYTES]; /* of scalars */
	starpu_data_handle_t handles[PREDICTD_STARPU_VALUES];
} predictd_starpu_launch;

/* Says what one task launches: its range, then every argument in the kernel's order. */
typedef void (*predictd_starpu_describe)(struct starpu_task *task, predictd_starpu_launch *launch);

/* The NDRange; local NULL: the runtime chooses. */
void predictd_starpu_range(predictd_starpu_launch *launch, uint32_t dimensions,
                           const uint64_t *global, const uint64_t *local);
/* A buffer: all of the handle's data. */
void predictd_starpu_buffer(predictd_starpu_launch *launch, starpu_data_handle_t handle);
/* A buffer of that size which no handle is, as of the parts of a sparse matrix. */
void predictd_starpu_memory(predictd_starpu_launch *launch, uint64_t size_bytes);
/* As clSetKernelArg: a scalar or a struct, which is copied; bytes NULL: local memory. */
void predictd_starpu_arg(predictd_starpu_launch *launch, size_t size_bytes, const void *bytes);

/* predictd_starpu.flags */
enum {
	PREDICTD_STARPU_WITHOUT_SAMPLES = 1 /* what data hold is not looked at */
};

struct predictd_starpu_state;

/* A codelet's kernel. Zeros but for the first members; it must outlive StarPU. */
typedef struct predictd_starpu {
	const char *file;    /* the kernel's source, found as the program finds its files; or */
	const char *source;  /* its text */
	const char *options; /* clBuildProgram's; NULL: none */
	const char *kernel;  /* NULL: the only one */
	/*
	 * NULL: the kernel's buffers are the task's handles in their order; its scalars are taken
	 * from the task's cl_arg, one behind the other as the members of a C struct, where that has
	 * their size, and else integers are the number of elements of the first handle; work-items
	 * are the elements of the first handle, in as many dimensions as it has.
	 */
	predictd_starpu_describe launch;
	unsigned flags;
	/* the library's: */
	struct starpu_perfmodel model;
	struct predictd_starpu_state *state;
} predictd_starpu;

/*
 * Makes predictd the codelet's performance model, after starpu_init and before its first task. Its
 * implementations are called through this library from then on, which reports what they took.
 * Implementations for CPUs and CUDA are known by the kernel's name and the sizes of their data,
 * once they have run. The first calls of a program wait for predictd for 50 ms in all at most; what
 * takes longer goes on in the background.
 *
 * What is wrong with a codelet or a device is said on standard error, once.
 *
 * PREDICTD_INVALID: neither file nor source, or both, or the codelet is attached already.
 * PREDICTD_NOT_FOUND, PREDICTD_IO: the file cannot be read; the codelet is as it was.
 * PREDICTD_NO_MEMORY.
 */
predictd_status predictd_starpu_attach(predictd_starpu *kernel, struct starpu_codelet *codelet);

/*
 * Asks ahead for tasks that are about to be submitted, on every device; waits for wait_s at most,
 * and not for a daemon that is away. Returns how many have an estimate for every device; a task of
 * a codelet that is not attached has none.
 */
size_t predictd_starpu_prepare(struct starpu_task *const *tasks, size_t count, double wait_s);

/*
 * What the kernel took by an OpenCL event of it that has ended, START to END, in seconds; called by
 * an implementation. Beside it the whole implementation's time is reported. A queue without
 * profiling has none, and nothing is lost by not calling it.
 */
void predictd_starpu_kernel_time(double time_s);

/*
 * For implementations that return before their kernel has ended (STARPU_OPENCL_ASYNC): the task's
 * callback, with the task as argument, called from the program's own or in its place. Needs
 * StarPU's profiling (starpu_profiling_status_set).
 */
void predictd_starpu_ended(void *task);

typedef struct predictd_starpu_counts {
	uint64_t estimates;   /* calls of StarPU that were answered for every device, */
	uint64_t histories;   /* by StarPU's own history, */
	uint64_t unknown;     /* or not at all */
	uint64_t reported;    /* tasks that ran, and were reported */
	uint64_t unreported;  /* or could not be */
	uint64_t losses;      /* how often the daemon went away, or did not answer */
	double waited_s;      /* for predictd, by all threads together */
	uint64_t reserved[4]; /* 0 */
} predictd_starpu_counts;

void predictd_starpu_get_counts(predictd_starpu_counts *counts);

/*
 * Sends what was reported and ends the connection: before starpu_shutdown, with no task on its way.
 * A program that does not call it loses reports of its last milliseconds at most. Waits a tenth of
 * a second at most. Codelets stay attached and are placed by StarPU's own history.
 */
void predictd_starpu_finish(void);

#ifdef __cplusplus
}
#endif

#endif
