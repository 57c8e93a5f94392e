/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets: their performance model, and their implementations, watched. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/starpu/adapter.h"

static const double first_wait_s = 0.02;
static const double unknown = (double)NAN;
static _Thread_local double kernel_time_s;

static struct predictd_starpu_state *state_of(const struct starpu_task *task)
{
	const char *model = (const char *)task->cl->model;
	return ((const predictd_starpu *)(model - offsetof(predictd_starpu, model)))->state;
}

static double cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);

static bool is_attached(const struct starpu_task *task)
{
	return task->cl != NULL && task->cl->model != NULL &&
	       task->cl->model->arch_cost_function == cost;
}

/* ---- estimates ----------------------------------------------------------------------------- */

static double time_of(const predictd_estimate *estimate)
{
	double task_s = estimate->task_time_s > 0
	                        ? estimate->task_time_s
	                        : estimate->kernel_time_s + estimate->launch_time_s;
	return task_s > 0 && isfinite(task_s) ? task_s : unknown;
}

/* A device that is not calibrated takes what one of its kind does, scaled. */
static void take_likes(const predictd_estimate *estimates, double *times_s)
{
	const struct adapter_devices of_kind = adapter.kinds[ADAPTER_OPENCL];
	for (size_t i = of_kind.first; i < of_kind.first + of_kind.count; i++) {
		int of = atomic_load(&adapter.likeness[i].of);
		if ((estimates[i].status == PREDICTD_UNCALIBRATED ||
		     estimates[i].status == PREDICTD_NOT_FOUND) &&
		    of >= 0 && estimates[of].status == PREDICTD_OK)
			times_s[i] = times_s[of] * atomic_load(&adapter.likeness[i].factor);
	}
}

/* Whether the question is wrong, however often it is asked. */
static bool is_refusal(predictd_status status)
{
	return status == PREDICTD_INVALID || status == PREDICTD_SYNTAX ||
	       status == PREDICTD_UNSUPPORTED || status == PREDICTD_LIMIT ||
	       status == PREDICTD_DENIED;
}

/* Asks for every device that the codelet may run on; false: some device has no answer. */
static bool ask(struct predictd_starpu_state *state, const predictd_starpu_launch *said,
                double wait_s, predictd_estimate *estimates, double *times_s)
{
	const predictd_launch launch = {.global = said->global,
	                                .local = said->local,
	                                .value_count = said->count,
	                                .values = said->values};
	bool is_complete = true;
	for (int kind = 0; kind < ADAPTER_KINDS; kind++) {
		const struct adapter_devices of = adapter.kinds[kind];
		const predictd_prepared *prepared = state->prepared[kind][said->dimensions];
		for (size_t i = of.first; i < of.first + of.count; i++)
			estimates[i].status = PREDICTD_NOT_FOUND;
		if (prepared != NULL &&
		    is_refusal(predictd_prepared_within(prepared, &launch, 0, of.count, wait_s,
		                                        &estimates[of.first])))
			adapter_say(state, predictd_error_text());
		for (size_t i = of.first; i < of.first + of.count && prepared != NULL; i++)
			times_s[i] = estimates[i].status == PREDICTD_OK ? time_of(&estimates[i])
			                                                : unknown;
		if (prepared != NULL && kind == ADAPTER_OPENCL)
			take_likes(estimates, times_s);
		for (size_t i = of.first; i < of.first + of.count && prepared != NULL; i++)
			is_complete = is_complete && !isnan(times_s[i]);
	}
	return is_complete;
}

/* Times of a task on every device that it may run on; false: not of all. */
static bool estimate(struct predictd_starpu_state *state, struct starpu_task *task, double wait_s,
                     double times_s[ADAPTER_DEVICES_MAX])
{
	predictd_estimate estimates[ADAPTER_DEVICES_MAX];
	predictd_starpu_launch said;
	if (!adapter_await(state, wait_s) || !atomic_load(&state->is_ready) ||
	    !launch_describe(state, task, &said))
		return false;
	bool is_sampled = atomic_load_explicit(&state->hangs_on_data, memory_order_relaxed);
	if (is_sampled)
		samples_put(state, task, &said);
	bool is_complete = ask(state, &said, 0, estimates, times_s);
	if (!is_complete && wait_s > 0) {
		int64_t begin_ns = adapter_now_ns();
		is_complete = ask(state, &said, wait_s, estimates, times_s);
		adapter_waited(begin_ns, !is_complete);
	}
	/* better an answer for any data than none */
	if (!is_complete && is_sampled && launch_describe(state, task, &said))
		is_complete = ask(state, &said, 0, estimates, times_s);
	if (state->prepared[ADAPTER_OPENCL][1] != NULL && estimates[0].status == PREDICTD_OK &&
	    estimates[0].is_data_dependent &&
	    (state->kernel->flags & PREDICTD_STARPU_WITHOUT_SAMPLES) == 0)
		atomic_store_explicit(&state->hangs_on_data, true, memory_order_relaxed);
	return is_complete;
}

/* How long a thread may wait for a first answer: a worker's never does. */
static double patience_s(void)
{
	double left_s = adapter_patience_s();
	if (starpu_worker_get_id() >= 0)
		return 0;
	return left_s < first_wait_s ? left_s : first_wait_s;
}

/*
 * Times of a task on every device, for StarPU, which asks for one device after the other: the
 * thread's last ones where they are of the same task. NULL: not all are known.
 */
static const double *estimate_for_starpu(struct starpu_task *task)
{
	static _Thread_local struct {
		unsigned long job; /* never used again; 0 is none */
		double times_s[ADAPTER_DEVICES_MAX];
	} last;
	unsigned long job = starpu_task_get_job_id(task);
	if (job == 0 || job != last.job) {
		last.job = 0;
		if (!estimate(state_of(task), task, patience_s(), last.times_s))
			return NULL;
		last.job = job;
	}
	return last.times_s;
}

/* StarPU's performance model: microseconds, NaN where nothing is known; never negative. */
static double cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	struct predictd_starpu_state *state = state_of(task);
	const double *times_s;
	int device = arch->ndevices == 1
	                     ? devices_number(arch->devices[0].type, arch->devices[0].devid)
	                     : -1;
	if (device >= 0 && (times_s = estimate_for_starpu(task)) != NULL) {
		atomic_fetch_add_explicit(&adapter.estimates, 1, memory_order_relaxed);
		return 1e6 * times_s[device];
	}
	atomic_store_explicit(&state->falls_back, true, memory_order_relaxed);
	double time_us = starpu_perfmodel_history_based_expected_perf(
	        &state->history, arch, starpu_task_footprint(&state->history, task, arch, nimpl));
	bool is_known = time_us > 0 && isfinite(time_us);
	atomic_fetch_add_explicit(is_known ? &adapter.histories : &adapter.unknown, 1,
	                          memory_order_relaxed);
	return is_known ? time_us : unknown;
}

size_t predictd_starpu_prepare(struct starpu_task *const *tasks, size_t count, double wait_s)
{
	int64_t begin_ns = adapter_now_ns(), end_ns = begin_ns + (int64_t)(1e9 * wait_s);
	double times_s[ADAPTER_DEVICES_MAX];
	size_t known = 0;
	/* All are asked before any is waited for; and again with samples, once it is known that
	 * their times hang on data. */
	for (unsigned round = 0; round < 4; round++) {
		bool is_news = false;
		known = 0;
		for (size_t i = 0; i < count; i++) {
			double left_s = 1e-9 * (double)(end_ns - adapter_now_ns());
			if (!is_attached(tasks[i]))
				continue;
			struct predictd_starpu_state *state = state_of(tasks[i]);
			bool hung = atomic_load(&state->hangs_on_data);
			known += estimate(state, tasks[i],
			                  round % 2 == 0 || !(left_s > 0) ? 0 : left_s, times_s);
			is_news |= !hung && atomic_load(&state->hangs_on_data);
		}
		if (!is_news && (known == count || round % 2 == 1))
			break;
	}
	return known;
}

/* ---- implementations ----------------------------------------------------------------------- */

static void report(struct predictd_starpu_state *state, struct starpu_task *task, double task_s)
{
	int worker = starpu_worker_get_id();
	int device =
	        devices_number(starpu_worker_get_type(worker), starpu_worker_get_devid(worker));
	predictd_starpu_launch said;
	predictd_status status = PREDICTD_NOT_FOUND;
	if (device >= 0 && atomic_load(&state->is_ready) && launch_describe(state, task, &said)) {
		enum adapter_kind kind = adapter.devices[device].kind;
		/* filed under what was asked */
		if (atomic_load_explicit(&state->hangs_on_data, memory_order_relaxed))
			samples_put(state, task, &said);
		const predictd_launch launch = {.global = said.global,
		                                .local = said.local,
		                                .value_count = said.count,
		                                .values = said.values};
		uint64_t bit = UINT64_C(1) << device;
		bool is_first = (atomic_fetch_or(&state->has_run, bit) & bit) == 0;
		const predictd_observation observation = {.task_time_s = task_s,
		                                          .kernel_time_s = kernel_time_s,
		                                          .flags = is_first ? PREDICTD_FIRST_RUN
		                                                            : 0};
		status = predictd_prepared_report(state->prepared[kind][said.dimensions], &launch,
		                                  (size_t)device - adapter.kinds[kind].first,
		                                  &observation);
	}
	atomic_fetch_add_explicit(status == PREDICTD_OK ? &adapter.reported : &adapter.unreported,
	                          1, memory_order_relaxed);
}

/* Runs an implementation between two looks at the clock. */
static void run(void (*function)(void **, void *), void **buffers, void *arg, bool is_asynchronous)
{
	struct starpu_task *task = starpu_task_get_current();
	struct predictd_starpu_state *state = state_of(task);
	kernel_time_s = 0;
	int64_t begin_ns = adapter_now_ns();
	function(buffers, arg);
	double task_s = 1e-9 * (double)(adapter_now_ns() - begin_ns);
	if (is_asynchronous)
		return; /* predictd_starpu_ended tells */
	int worker = starpu_worker_get_id();
	if (atomic_load_explicit(&state->falls_back, memory_order_relaxed))
		starpu_perfmodel_update_history(
		        &state->history, task,
		        starpu_worker_get_perf_archtype(worker, task->sched_ctx), (unsigned)worker,
		        starpu_task_get_implementation(task), 1e6 * task_s);
	report(state, task, task_s);
}

static void run_cpu(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	run(state_of(task)->cpu_funcs[starpu_task_get_implementation(task)], buffers, arg, false);
}

static void run_cuda(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	unsigned nimpl = starpu_task_get_implementation(task);
	run(state_of(task)->cuda_funcs[nimpl], buffers, arg,
	    (task->cl->cuda_flags[nimpl] & STARPU_CUDA_ASYNC) != 0);
}

static void run_opencl(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	unsigned nimpl = starpu_task_get_implementation(task);
	run(state_of(task)->opencl_funcs[nimpl], buffers, arg,
	    (task->cl->opencl_flags[nimpl] & STARPU_OPENCL_ASYNC) != 0);
}

void predictd_starpu_kernel_time(double time_s)
{
	kernel_time_s = time_s > 0 && isfinite(time_s) ? time_s : 0;
}

void predictd_starpu_ended(void *context)
{
	struct starpu_task *task = context;
	const struct starpu_profiling_task_info *info = task->profiling_info;
	if (!is_attached(task))
		return;
	if (info == NULL) {
		atomic_fetch_add_explicit(&adapter.unreported, 1, memory_order_relaxed);
		adapter_say(state_of(task), "predictd_starpu_ended wants StarPU's profiling "
		                            "(starpu_profiling_status_set)");
		return;
	}
	kernel_time_s = 0;
	report(state_of(task), task,
	       1e-6 * starpu_timing_timespec_delay_us((struct timespec *)&info->start_time,
	                                              (struct timespec *)&info->end_time));
}

/* ---- attaching ----------------------------------------------------------------------------- */

static void watch(struct predictd_starpu_state *state, struct starpu_codelet *codelet)
{
	memcpy(state->cpu_funcs, codelet->cpu_funcs, sizeof state->cpu_funcs);
	memcpy(state->cuda_funcs, codelet->cuda_funcs, sizeof state->cuda_funcs);
	memcpy(state->opencl_funcs, codelet->opencl_funcs, sizeof state->opencl_funcs);
	for (size_t i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++) {
		if (codelet->cpu_funcs[i] != NULL)
			codelet->cpu_funcs[i] = run_cpu;
		if (codelet->cuda_funcs[i] != NULL)
			codelet->cuda_funcs[i] = run_cuda;
		if (codelet->opencl_funcs[i] != NULL)
			codelet->opencl_funcs[i] = run_opencl;
	}
}

/* A file as it is named, or in the folder that StarPU looks in. */
static predictd_status load(const predictd_starpu *kernel, predictd_source **source)
{
	char path[4096];
	const char *folder = getenv("STARPU_OPENCL_PROGRAM_DIR");
	if (access(kernel->file, R_OK) != 0 && kernel->file[0] != '/' && folder != NULL &&
	    (size_t)snprintf(path, sizeof path, "%s/%s", folder, kernel->file) < sizeof path &&
	    access(path, R_OK) == 0)
		return predictd_source_load(path, kernel->options, source);
	return predictd_source_load(kernel->file, kernel->options, source);
}

predictd_status predictd_starpu_attach(predictd_starpu *kernel, struct starpu_codelet *codelet)
{
	predictd_source *source = NULL;
	if ((kernel->file == NULL) == (kernel->source == NULL) || kernel->state != NULL)
		return PREDICTD_INVALID;
	struct predictd_starpu_state *state = calloc(1, sizeof *state);
	if (state == NULL)
		return PREDICTD_NO_MEMORY;
	state->kernel = kernel;
	state->codelet = codelet;
	const char *name = codelet->name != NULL    ? codelet->name
	                   : kernel->kernel != NULL ? kernel->kernel
	                                            : "kernel";
	state->text = (predictd_source){.name = name,
	                                .text = kernel->source,
	                                .size = kernel->source == NULL ? 0 : strlen(kernel->source),
	                                .options = kernel->options};
	state->source = &state->text;
	state->history = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = name};
	if (kernel->file != NULL) {
		predictd_status status = load(kernel, &source);
		if (status != PREDICTD_OK) {
			adapter_say(state, predictd_error_text());
			free(state);
			return status;
		}
		state->source = source;
	}
	starpu_perfmodel_init(&state->history);
	kernel->model = (struct starpu_perfmodel){
	        .type = STARPU_PER_ARCH, .symbol = name, .arch_cost_function = cost};
	kernel->state = state;
	codelet->model = &kernel->model;
	watch(state, codelet);
	adapter_add(state);
	return PREDICTD_OK;
}
