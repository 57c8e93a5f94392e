/* SPDX-License-Identifier: Apache-2.0 */
/* A calibration under way: programs, buffers, the time left, timed launches. */
#include "daemon/calibrator/bench.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/calibrator/kernels.h"
#include "daemon/calibrator/repeats.h"

enum {
	ROUNDS_MIN = 4,
	ROUNDS_SHORT = 32,
	ROUNDS_HURRIED = 3,
	ROUNDS_MAX = 64,
	RUNS_MAX = 16,
	REFUSED_MIN = 6,
	REFUSED_MAX = 32, /* of ROUNDS_MAX: as many are left */
	SETTLED_MAX = REPEATS_MAX
};

/* A driver may compile anew for launches of more work-items in a row than a short holds. */
#define MANY_ITEMS ((size_t)UINT16_MAX + 1)

/* Of a rehearsal: what a launch with nothing to do reads. */
#define REHEARSED_BYTES ((size_t)16 << 20)

#define WANTED_ERROR  0.02
#define BUSY_SPREAD   0.15
#define PARALLEL_MOST 1.2  /* START to END over the processor time of each unit */
#define SHORT_S       3e-4 /* of a round */
#define LOOK_S        0.25 /* from a look at what others have to the next */
#define SETTLED_S     1.5e-2

/*
 * A core may tell the lines of a set apart by a hash of bits 12 to 27 of their linear addresses
 * (AMD, Software Optimization Guide for Family 17h, section 2.6.2.2: the utag; Lipp et al., Take A
 * Way, ASIA CCS 2020), and lines of one hash take each other's place. Pages around a carry into the
 * upper of these bits may have one: then the first level looks full with three pages. The first
 * pages behind a multiple of so many bytes have all another one.
 */
#define DATA_ALIGN ((size_t)2 << 20)

static void free_data(struct bench *bench)
{
	if (bench->data != NULL)
		clReleaseMemObject(bench->data);
	free(bench->data_host);
	bench->data = NULL;
	bench->data_host = NULL;
}

static enum status new_data(struct bench *bench, size_t bytes, struct error *error)
{
	cl_int code;
	if (bench->is_gpu)
		return opencl_buffer(bench->opencl, bytes, &bench->data, error);
	bench->data_host = aligned_alloc(DATA_ALIGN, (bytes + DATA_ALIGN - 1) & ~(DATA_ALIGN - 1));
	if (bench->data_host == NULL)
		return error_set(error, STATUS_NO_MEMORY, "data: %zu bytes: no memory", bytes);
	bench->data =
	        clCreateBuffer(bench->opencl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
	                       bytes, bench->data_host, &code);
	return bench->data != NULL ? STATUS_OK : opencl_failure("clCreateBuffer", code, error);
}

enum status bench_open(struct bench *bench, struct error *error)
{
	static const char *const parts[] = {kernels_launch_cl, kernels_exec_cl,  kernels_access_cl,
	                                    kernels_memory_cl, kernels_local_cl, kernels_paper_cl};
	char *source = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&source, &size);
	if (to == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the benchmarks' source: out of memory");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		(void)fputs(parts[i], to);
	if (fclose(to) != 0) {
		free(source);
		return error_set(error, STATUS_NO_MEMORY, "the benchmarks' source: out of memory");
	}
	(void)snprintf(bench->options_text, sizeof bench->options_text,
	               "-cl-std=CL1.2 -DVEC=%s -DON_CPU=%d -DUNITS=%.0f",
	               bench->is_gpu ? "float4" : "float16", !bench->is_gpu, bench->units);
	enum status status = opencl_build(bench->opencl, source, size, bench->options_text,
	                                  &bench->program, error);
	free(source);
	if (status == STATUS_OK)
		status = opencl_buffer(bench->opencl, BENCH_SCRATCH_BYTES, &bench->scratch, error);
	if (status == STATUS_OK)
		status = bench_grow_data(bench, (size_t)1 << 20, error);
	return status;
}

void bench_close(struct bench *bench)
{
	for (size_t i = 0; i < bench->kernel_count; i++)
		clReleaseKernel(bench->kernels[i].kernel);
	if (bench->scratch != NULL)
		clReleaseMemObject(bench->scratch);
	free_data(bench);
	if (bench->program != NULL)
		clReleaseProgram(bench->program);
	free(bench->joins);
	bench->kernel_count = 0;
	bench->joins = NULL;
	bench->scratch = NULL;
	bench->program = NULL;
}

enum status bench_kernel(struct bench *bench, const char *name, cl_kernel *kernel,
                         struct error *error)
{
	for (size_t i = 0; i < bench->kernel_count; i++) {
		if (strcmp(bench->kernels[i].name, name) == 0) {
			*kernel = bench->kernels[i].kernel;
			return STATUS_OK;
		}
	}
	if (bench->kernel_count == BENCH_KERNELS_MAX)
		return error_set(error, STATUS_INTERNAL, "more than %d benchmark kernels",
		                 BENCH_KERNELS_MAX);
	enum status status = opencl_kernel(bench->program, name, kernel, error);
	if (status == STATUS_OK)
		bench->kernels[bench->kernel_count++] =
		        (struct bench_kernel){name, *kernel, !bench_takes(bench)};
	return status;
}

bool bench_takes(struct bench *bench)
{
	int this = bench->next++;
	uint16_t drawn;
	if (!bench->is_rehearsal)
		return true;
	/* they are drawn in order, and this process drew its last one below: none is missed */
	if (bench_is_late(bench))
		bench->number = INT_MAX;
	else if (bench->number < this)
		bench->number = read(bench->numbers, &drawn, sizeof drawn) == sizeof drawn
		                        ? drawn
		                        : INT_MAX;
	return bench->number == this;
}

enum status bench_clear_data(struct bench *bench, struct error *error)
{
	const cl_uint zero = 0;
	cl_int code = clEnqueueFillBuffer(bench->opencl->queue, bench->data, &zero, sizeof zero, 0,
	                                  bench->data_bytes, 0, NULL, NULL);
	if (code != CL_SUCCESS)
		return opencl_failure("clEnqueueFillBuffer", code, error);
	code = clFinish(bench->opencl->queue);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clFinish", code, error);
}

/* Others may have the memory: half as much is tried down to this. */
#define DATA_LEAST_BYTES ((size_t)16 << 20)

enum status bench_grow_data(struct bench *bench, size_t bytes, struct error *error)
{
	uint64_t most = bench->device->max_allocation_bytes;
	if (bench->is_rehearsal && bytes > REHEARSED_BYTES)
		bytes = REHEARSED_BYTES;
	/* others use the device, too */
	if (most > bench->device->global_bytes / 4)
		most = bench->device->global_bytes / 4;
	if (bytes > most)
		bytes = (size_t)most & ~(size_t)0xffff;
	if (bench->data != NULL && bench->data_bytes >= bytes)
		return STATUS_OK;
	for (enum status status;; bytes = bytes / 2 & ~(size_t)0xffff) {
		free_data(bench);
		status = new_data(bench, bytes, error);
		bench->data_bytes = bytes;
		/* some drivers allocate at the first use */
		if (status == STATUS_OK)
			status = bench_clear_data(bench, error);
		if (status == STATUS_OK || bytes / 2 < DATA_LEAST_BYTES)
			return status;
	}
}

bool bench_is_late(const struct bench *bench)
{
	bool is_waiting =
	        bench->essential >= 0 && !bench->device->coefficient[bench->essential].is_known;
	return clock_now_s() > (is_waiting ? bench->grace_end_s : bench->stage_end_s);
}

/* Nobody's share is known where kernels run in another process: it would count as others'. */
void bench_look_at_others(struct bench *bench)
{
	struct other_load now;
	if (!bench->has_cpu_clock || clock_now_s() - bench->load[1].at_s < LOOK_S)
		return;
	other_load_look(&now);
	bench->load[0] = bench->load[1].is_known ? bench->load[1] : now;
	bench->load[1] = now;
	bench->others_share = other_load_share(&bench->load[0], &now);
}

bool bench_wait_for_others(struct bench *bench, double most_s)
{
	if (bench->others_share <= OTHER_LOAD_MAX)
		return true;
	bool is_quiet = other_load_wait(most_s);
	/* what is measured now begins in that state */
	bench->load[1].at_s = 0;
	bench_look_at_others(bench);
	if (is_quiet)
		bench->others_share = 0;
	return is_quiet;
}

/* Adds launches that began then to those that the next coefficients rest on. */
static void count_others(struct bench *bench, double start_s)
{
	double spent_s = clock_now_s() - start_s;
	bench_look_at_others(bench);
	if (bench->is_told)
		bench->others_sum = bench->others_s = 0;
	bench->is_told = false;
	bench->others_sum += bench->others_share * spent_s;
	bench->others_s += spent_s;
}

/* What one launch told. */
struct told {
	double time_s, event_s, enqueue_s;
};

static double processor_s(void)
{
	struct timespec spent;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	return (double)spent.tv_sec + (double)spent.tv_nsec * 1e-9;
}

/* As few as the driver compiles the same for. */
static size_t rehearsed_groups(const struct bench_run *run)
{
	bool is_many = run->groups * run->local >= MANY_ITEMS;
	return is_many ? (MANY_ITEMS + run->local - 1) / run->local : 1;
}

static bool is_others(const struct bench *bench, cl_kernel kernel)
{
	for (size_t i = 0; i < bench->kernel_count; i++)
		if (bench->kernels[i].kernel == kernel)
			return bench->kernels[i].is_others;
	return false;
}

static enum status run_once(struct bench *bench, const struct bench_run *run, struct told *told,
                            struct error *error)
{
	struct opencl_times times;
	size_t groups = bench->is_rehearsal ? rehearsed_groups(run) : run->groups;
	struct opencl_range range = {.dimensions = run->rows > 1 ? 2 : 1,
	                             .global = {groups * run->local, run->rows},
	                             .local = {run->local, 1}};
	*told = (struct told){0};
	if (is_others(bench, run->kernel))
		return STATUS_OK;
	if (bench_is_late(bench))
		return error_set(error, STATUS_TIMEOUT, "the calibration's time is up");
	for (cl_uint i = 0; i < BENCH_ARGUMENTS_MAX && run->argument[i].size > 0; i++) {
		cl_int code = clSetKernelArg(run->kernel, i, run->argument[i].size,
		                             &run->argument[i].value);
		if (code != CL_SUCCESS)
			return opencl_failure("clSetKernelArg", code, error);
	}
	double start_s = processor_s();
	enum status status = opencl_run(bench->opencl, run->kernel, &range, &times, error);
	if (status != STATUS_OK)
		return status;
	told->event_s = times.kernel_s;
	told->enqueue_s = times.enqueue_s;
	told->time_s =
	        bench->has_cpu_clock ? (processor_s() - start_s) / bench->units : times.kernel_s;
	return STATUS_OK;
}

enum status bench_once(struct bench *bench, const struct bench_run *run, double *event_s,
                       double *spent_s, struct error *error)
{
	struct told told = {0};
	double start_s = processor_s();
	enum status status = run_once(bench, run, &told, error);
	*spent_s = processor_s() - start_s;
	*event_s = told.event_s;
	return status;
}

enum status bench_run_once(struct bench *bench, struct bench_run *run, struct error *error)
{
	struct told told = {0};
	enum status status = run_once(bench, run, &told, error);
	if (status == STATUS_OK) {
		run->event_s = told.event_s;
		run->enqueue_s = told.enqueue_s;
	}
	return status;
}

enum status bench_time_settled(struct bench *bench, struct bench_run *run, struct error *error)
{
	struct repeats *settled = calloc(2, sizeof *settled);
	double start_s = clock_now_s(), total_s = 0;
	enum status status = STATUS_OK;
	if (settled == NULL)
		return error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	for (unsigned i = 0; i < SETTLED_MAX && total_s < SETTLED_S && status == STATUS_OK; i++) {
		status = bench_run_once(bench, run, error);
		total_s = clock_now_s() - start_s;
		if (status == STATUS_OK && total_s > SETTLED_S / 2) {
			repeats_add(&settled[0], run->event_s);
			repeats_add(&settled[1], run->enqueue_s);
		}
		if (bench->is_rehearsal)
			break;
	}
	if (!bench->is_rehearsal)
		count_others(bench, start_s);
	if (status == STATUS_OK && settled[0].count > 0) {
		run->event_s = repeats_quantile(&settled[0], 0.5);
		run->enqueue_s = repeats_quantile(&settled[1], 0.5);
		run->event_error = repeats_standard_error(&settled[0]);
	}
	free(settled);
	return status;
}

struct run_repeats {
	struct repeats time_s, event_s, enqueue_s;
	unsigned refused; /* launches that did not run on all units */
};

/*
 * Threads that take turns each have the memory for themselves: a launch of which
 * units were late, or shared a processor, does not tell what all reach together.
 */
static bool is_refused(const struct bench *bench, const struct bench_run *run,
                       const struct told *told, const struct run_repeats *repeats, bool is_late)
{
	return run->is_parallel && bench->has_cpu_clock && bench->units > 1 &&
	       told->event_s > PARALLEL_MOST * told->time_s &&
	       repeats->refused < (is_late ? REFUSED_MIN : REFUSED_MAX);
}

/* The relative standard error of the quiet ones. */
static double quiet_error(const struct repeats *repeats)
{
	struct repeats quiet;
	repeats_quiet(repeats, &quiet);
	return repeats_standard_error(&quiet);
}

/* Repeats until the wanted error or the end. */
static enum status time_rounds(struct bench *bench, const struct bench_run *runs, size_t count,
                               struct run_repeats *repeats, double share_s, struct error *error)
{
	struct told told;
	double until_s = clock_now_s() + share_s;
	double worst = 1;
	size_t least = 0; /* repeats of any run */
	double start_s = clock_now_s();
	/* beyond the promised time, for what is essential: as little as tells anything */
	bool is_hurried = start_s > bench->stage_end_s;
	size_t rounds_min = is_hurried ? ROUNDS_HURRIED : ROUNDS_MIN;
	if (is_hurried)
		until_s = start_s;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		if (least >= rounds_min && (worst <= WANTED_ERROR || clock_now_s() > until_s))
			break;
		/* short launches are many: a clock of a microsecond's steps has no spread */
		if (round == 1 && !is_hurried && clock_now_s() - start_s < SHORT_S)
			rounds_min = ROUNDS_SHORT;
		worst = 0;
		least = ROUNDS_MAX;
		for (size_t i = 0; i < count; i++) {
			enum status status = run_once(bench, &runs[i], &told, error);
			if (status != STATUS_OK)
				return status;
			if (!is_hurried && is_refused(bench, &runs[i], &told, &repeats[i],
			                              clock_now_s() > until_s)) {
				repeats[i].refused++;
				least = repeats[i].time_s.count < least ? repeats[i].time_s.count
				                                        : least;
				worst = 1;
				continue;
			}
			repeats_add(&repeats[i].time_s, told.time_s);
			repeats_add(&repeats[i].event_s, told.event_s);
			repeats_add(&repeats[i].enqueue_s, told.enqueue_s);
			worst = fmax(worst, quiet_error(&repeats[i].time_s));
			least = repeats[i].time_s.count < least ? repeats[i].time_s.count : least;
		}
	}
	return STATUS_OK;
}

enum status bench_time(struct bench *bench, struct bench_run *runs, size_t count,
                       struct error *error)
{
	struct told told;
	enum status status = STATUS_OK;
	double share_s = bench->share_s * (double)count;
	if (count == 0 || count > RUNS_MAX)
		return error_set(error, STATUS_INTERNAL, "%zu runs in one benchmark", count);
	struct run_repeats *repeats = calloc(count, sizeof *repeats);
	if (repeats == NULL)
		return error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = run_once(bench, &runs[i], &told, error); /* warm-up */
	if (bench->is_rehearsal) {
		free(repeats);
		return status;
	}
	double start_s = clock_now_s();
	/* a busy device is given a second chance where there is time */
	int attempts = bench->is_quick ? 1 : 2;
	for (int attempt = 0; attempt < attempts && status == STATUS_OK; attempt++) {
		bool is_spread = false;
		status = time_rounds(bench, runs, count, repeats, share_s, error);
		for (size_t i = 0; i < count; i++)
			is_spread |= repeats_spread(&repeats[i].time_s) > BUSY_SPREAD;
		if (!is_spread)
			break;
		bench->spread_out += attempt + 1 == attempts;
	}
	bench->timed++;
	count_others(bench, start_s);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		repeats_quiet(&repeats[i].time_s, &repeats[i].time_s);
		repeats_quiet(&repeats[i].event_s, &repeats[i].event_s);
		repeats_quiet(&repeats[i].enqueue_s, &repeats[i].enqueue_s);
		runs[i].time_s = repeats_quantile(&repeats[i].time_s, 0.5);
		runs[i].event_s = repeats_quantile(&repeats[i].event_s, 0.5);
		runs[i].enqueue_s = repeats_quantile(&repeats[i].enqueue_s, 0.5);
		runs[i].standard_error = repeats_standard_error(&repeats[i].time_s);
		runs[i].event_error = repeats_standard_error(&repeats[i].event_s);
	}
	free(repeats);
	return status;
}

/* Compiles what lengthening would launch: of few, and of many where they may become many. */
static enum status rehearse_groups(struct bench *bench, const struct bench_run *run, size_t most,
                                   struct error *error)
{
	struct bench_run many = *run;
	struct told told;
	enum status status = run_once(bench, run, &told, error);
	many.groups = (MANY_ITEMS + run->local - 1) / run->local;
	if (status == STATUS_OK && many.groups > run->groups && many.groups <= most)
		status = run_once(bench, &many, &told, error);
	return status;
}

/* How many times longer the amount should become; 1: long enough. */
static enum status growth(struct bench *bench, const struct bench_run *run, bool is_first,
                          uint64_t *factor, struct error *error)
{
	struct told told = {0};
	enum status status = STATUS_OK;
	if (is_first) /* compiles */
		status = run_once(bench, run, &told, error);
	if (status == STATUS_OK)
		status = run_once(bench, run, &told, error);
	if (status != STATUS_OK)
		return status;
	double ratio = bench->target_s / fmax(told.time_s, 1e-7);
	*factor = ratio <= 1.25 ? 1 : ratio < 2 ? 2 : ratio > 16 ? 16 : (uint64_t)ratio;
	return STATUS_OK;
}

static enum status lengthen(struct bench *bench, struct bench_run *run, size_t *amount, size_t most,
                            struct error *error)
{
	for (bool is_first = true; *amount < most; is_first = false) {
		uint64_t factor;
		enum status status = growth(bench, run, is_first, &factor, error);
		if (status != STATUS_OK)
			return status;
		if (factor == 1)
			break;
		*amount = *amount > most / factor ? most : *amount * factor;
	}
	return STATUS_OK;
}

enum status bench_lengthen_groups(struct bench *bench, struct bench_run *run, size_t most,
                                  struct error *error)
{
	return bench->is_rehearsal ? rehearse_groups(bench, run, most, error)
	                           : lengthen(bench, run, &run->groups, most, error);
}

enum status bench_lengthen_rows(struct bench *bench, struct bench_run *run, size_t most,
                                struct error *error)
{
	run->rows = run->rows > 0 ? run->rows : 1;
	return bench->is_rehearsal ? STATUS_OK : lengthen(bench, run, &run->rows, most, error);
}

enum status bench_lengthen_argument(struct bench *bench, struct bench_run *run, unsigned argument,
                                    uint32_t most, struct error *error)
{
	cl_uint *amount = &run->argument[argument].value.u32;
	if (bench->is_rehearsal) {
		struct told told;
		*amount = 0;
		return run_once(bench, run, &told, error);
	}
	for (bool is_first = true; *amount < most; is_first = false) {
		uint64_t factor;
		enum status status = growth(bench, run, is_first, &factor, error);
		if (status != STATUS_OK)
			return status;
		if (factor == 1)
			break;
		*amount = *amount > most / factor ? most : (cl_uint)(*amount * factor);
	}
	return STATUS_OK;
}

enum status bench_time_trips(struct bench *bench, struct bench_run runs[2], unsigned argument,
                             uint32_t most, double *more, struct error *error)
{
	enum status status = bench_lengthen_argument(bench, &runs[0], argument, most, error);
	runs[1] = runs[0];
	runs[1].argument[argument].value.u32 /= 4;
	*more = (double)(runs[0].argument[argument].value.u32 -
	                 runs[1].argument[argument].value.u32);
	return status == STATUS_OK ? bench_time(bench, runs, 2, error) : status;
}

void bench_set(struct bench *bench, unsigned id, double value, double standard_error)
{
	struct coefficient *coefficient = &bench->device->coefficient[id];
	if (!isfinite(value) || value < 0 || value > 1e30)
		return;
	coefficient->value = value < 1e-30 ? 0 : value;
	coefficient->standard_error =
	        isfinite(standard_error) ? fmin(fmax(standard_error, 0), 1) : 1;
	coefficient->is_known = true;
	bench->had[id] = bench->others_s > 0 ? bench->others_sum / bench->others_s : 0;
	if (bench->family >= 0)
		bench->set_by[id] = (int8_t)bench->family;
	bench->is_set[id] = bench->is_told = true;
}

double bench_difference_error(const struct bench_run *with, const struct bench_run *without)
{
	double difference = fabs(with->time_s - without->time_s);
	double deviation = hypot(with->time_s * with->standard_error,
	                         without->time_s * without->standard_error);
	/* a clock's steps may hide it, but 0 is of what was counted and not measured */
	return deviation < difference ? fmax(deviation / difference, DBL_EPSILON) : 1;
}

void bench_set_difference(struct bench *bench, unsigned id, const struct bench_run *with,
                          const struct bench_run *without, double divisor)
{
	bench_set(bench, id, fmax(with->time_s - without->time_s, 0) / divisor,
	          bench_difference_error(with, without));
}

enum status bench_progress(struct bench *bench, double done, struct error *error)
{
	if (bench->options->progress == NULL)
		return STATUS_OK;
	double now_s = clock_now_s();
	double progress = bench->progress + (bench->progress_to - bench->progress) * done;
	double spent_s = now_s - bench->start_s;
	double left_s =
	        progress > 0.02 ? spent_s * (1 - progress) / progress : bench->end_s - now_s;
	left_s = fmax(fmin(left_s, bench->end_s - now_s), 0);
	return bench->options->progress(bench->options->context, progress, left_s, bench->stage,
	                                error);
}

double bench_value(const struct bench *bench, unsigned id, double otherwise)
{
	const struct coefficient *coefficient = &bench->device->coefficient[id];
	return coefficient->is_known ? coefficient->value : otherwise;
}
