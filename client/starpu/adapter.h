/* SPDX-License-Identifier: Apache-2.0 */
/* The adapter behind <predictd_starpu.h>: one a process. */
#ifndef PREDICTD_CLIENT_STARPU_ADAPTER_H
#define PREDICTD_CLIENT_STARPU_ADAPTER_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/starpu/predictd_starpu.h"

enum { ADAPTER_DEVICES_MAX = 64 };

/*
 * Of what an implementation is. OpenCL's have a source; the others are known by the codelet's name
 * and what was observed of them.
 */
enum adapter_kind { ADAPTER_OPENCL, ADAPTER_CPU, ADAPTER_CUDA, ADAPTER_KINDS };

/* What runs tasks: an OpenCL or CUDA device, or all CPU workers together. */
struct adapter_device {
	enum adapter_kind kind;
	int devid; /* StarPU's; of a CPU 0 */
	char key[PREDICTD_KEY_BYTES];
	bool has_been_said; /* that it has no calibration: once */
};

struct adapter_devices {
	size_t first, count;
};

/* How a device without an estimate of its own gets one: as another of its kind, times a factor. */
struct adapter_likeness {
	_Atomic int of; /* number of a device, or -1 */
	_Atomic double factor;
};

struct predictd_starpu_state {
	struct predictd_starpu_state *next;
	predictd_starpu *kernel;
	struct starpu_codelet *codelet;
	starpu_cpu_func_t cpu_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_cuda_func_t cuda_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_opencl_func_t opencl_funcs[STARPU_MAXIMPLEMENTATIONS];
	struct starpu_perfmodel history; /* StarPU's own, for when predictd has no answer */
	const predictd_source *source;
	predictd_source text; /* of a kernel that has no file */
	predictd_program *programs[ADAPTER_KINDS];
	const predictd_kernel *description;                 /* of the kernel in it */
	unsigned char scalar_bytes[PREDICTD_STARPU_VALUES]; /* of its arguments; 0: no scalar */
	predictd_prepared *prepared[ADAPTER_KINDS][4]; /* by dimensions; complete when is_ready */
	atomic_bool is_ready;
	atomic_bool has_failed;    /* predictd refuses it */
	atomic_bool falls_back;    /* a task was placed by history: that is to learn */
	atomic_bool hangs_on_data; /* says an estimate */
	atomic_bool has_been_said; /* what is wrong with it: once */
	_Atomic uint64_t has_run;  /* bits of devices: their first run compiles */
};

struct adapter {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* codelets wait for the thread, or it has done one */
	bool has_thread, is_ending;
	struct predictd_starpu_state *states;
	predictd_connection *connection; /* NULL: not yet, or no more */
	size_t device_count;
	struct adapter_devices kinds[ADAPTER_KINDS]; /* of each, in `devices` */
	struct adapter_device devices[ADAPTER_DEVICES_MAX];
	struct adapter_likeness likeness[ADAPTER_DEVICES_MAX];
	_Atomic int64_t fruitless_ns; /* waits that ended without an answer */
	atomic_bool is_lost;          /* said once */
	_Atomic uint64_t estimates, histories, unknown, reported, unreported, losses;
	_Atomic int64_t waited_ns;
};

extern struct adapter adapter;

/* ---- the daemon (daemon.c) ----------------------------------------------------------------- */

/* Has the thread register a codelet, and waits within the program's 50 ms. */
void adapter_add(struct predictd_starpu_state *state);
/* Waits so long until it is registered, refused, or nobody answers; false: it is neither yet. */
bool adapter_await(const struct predictd_starpu_state *state, double wait_s);
/* What is left of the time that the program may wait in vain. */
double adapter_patience_s(void);
/* A wait that ended, with or without what was waited for. */
void adapter_waited(int64_t begin_ns, bool in_vain);
/* Whether an estimate's status says that nobody answers; says so once, and when it is over. */
void adapter_heard(predictd_status status);
/* STARPU_SILENT: nothing is said. */
bool adapter_is_silent(void);
/* Says what is wrong with a codelet, once. */
void adapter_say(struct predictd_starpu_state *state, const char *sentence);
int64_t adapter_now_ns(void);

/* ---- devices (devices.c) ------------------------------------------------------------------- */

/* Those of StarPU's workers. */
void devices_find(void);
/* Whether a codelet has an implementation of a kind. */
bool devices_take(const struct starpu_codelet *codelet, enum adapter_kind kind);
/* Of a worker's kind and number, or -1. */
int devices_number(enum starpu_worker_archtype type, int devid);
/* What is known of devices that the daemon has not calibrated, which is said once. */
void devices_compare(const predictd_devices *known);

/* ---- launches (launch.c) ------------------------------------------------------------------- */

/* False: it cannot be told, and why is said once. */
bool launch_describe(struct predictd_starpu_state *state, struct starpu_task *task,
                     predictd_starpu_launch *launch);
/* What the kernel's own types tell; once its description is there. */
void launch_learn_types(struct predictd_starpu_state *state);
/* A question of every argument's kind, without sizes and values; `arguments` has room. */
predictd_question launch_template(const struct predictd_starpu_state *state, enum adapter_kind kind,
                                  uint32_t dimensions, predictd_argument *arguments);

/* ---- samples (samples.c) ------------------------------------------------------------------- */

/* Puts samples of what handles hold into a launch; they stay the cache's. */
void samples_put(const struct predictd_starpu_state *state, const struct starpu_task *task,
                 predictd_starpu_launch *launch);
void samples_forget(void);

#endif
