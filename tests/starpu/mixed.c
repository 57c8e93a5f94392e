/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of five kernels and four sizes, 300 tasks, under the scheduler that STARPU_SCHED names.
 *
 *   mixed MODE [TABLE] [--chains] [--tasks N] [--wait S] [--middle COMMAND] [--wrong size|count]
 *
 * MODE     how tasks are estimated: none, history (StarPU's own), predictd, or oracle (TABLE's
 *          medians); measure writes TABLE: each kind of task five times on each device
 * --wait   for estimates before the first submission, 0.05 s
 * --middle runs a shell's command when half of the tasks have run, and waits for it
 * --wrong  what is said of a task's arguments has a size that is none, or one argument too few
 * --chains tasks that depend on each other, twenty chains, in place of independent ones
 *
 * One line on standard output: makespan and submission per task in microseconds, what each device
 * did of the work, how many estimates there were, and a checksum of all results.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <predictd_starpu.h>
#include <starpu_opencl.h>

enum {
	KERNELS = 5,
	SIZES = 4,
	KINDS = KERNELS * SIZES,
	CHAINS = 20,
	RUNS = 5,
	GROUP = 64,
	DEVICES_MAX = 16,
	TASKS_MAX = 100000
};

static const char *const names[KERNELS] = {"triad", "polynomial", "collatz", "touch", "window"};
/* of a kernel's first buffer: what is written as a whole need not be copied there */
static const enum starpu_data_access_mode modes[KERNELS] = {STARPU_RW, STARPU_W, STARPU_W,
                                                            STARPU_RW, STARPU_W};
static const uint32_t sizes[SIZES] = {1 << 12, 1 << 15, 1 << 18, 1 << 20};

struct task_arguments {
	uint32_t n;
	float a;
};

static struct starpu_opencl_program program;
static struct starpu_codelet codelets[KERNELS];
static predictd_starpu kernels[KERNELS];
static struct starpu_perfmodel models[KERNELS];
static double table_us[DEVICES_MAX][KINDS];
static double measured_us; /* of the last implementation that ran */
static _Atomic unsigned long ran_on[STARPU_NMAXWORKERS];

static double now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Of first launches, which nobody is to learn from: compilers and drivers start with them. */
static struct starpu_codelet plain[KERNELS];

static unsigned kernel_of(const struct starpu_task *task)
{
	unsigned kernel = 0;
	while (task->cl != &codelets[kernel] && task->cl != &plain[kernel])
		kernel++;
	return kernel;
}

static uint64_t work_items(unsigned kernel, uint32_t n)
{
	uint64_t items = kernel == 3 ? n / 1024 : n;
	return (items + GROUP - 1) / GROUP * GROUP;
}

/* ---- what a StarPU program has anyway ------------------------------------------------------ */

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS) {
		fprintf(stderr, "mixed: %s: %d\n", what, status);
		exit(1);
	}
}

static void run_opencl(void *buffers[], void *argument)
{
	const struct task_arguments *arguments = argument;
	unsigned kernel_number = kernel_of(starpu_task_get_current());
	cl_mem y = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_mem x = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
	size_t global = work_items(kernel_number, arguments->n), local = GROUP;
	cl_kernel kernel;
	cl_command_queue queue;
	int worker = (int)starpu_worker_get_id_check();
	double begin_us = now_us();
	ran_on[worker]++;
	check(starpu_opencl_load_kernel(&kernel, &queue, &program, names[kernel_number],
	                                starpu_worker_get_devid(worker)),
	      "kernel");
	check(clSetKernelArg(kernel, 0, sizeof y, &y), "argument 0");
	check(clSetKernelArg(kernel, 1, sizeof x, &x), "argument 1");
	check(clSetKernelArg(kernel, 2, sizeof arguments->n, &arguments->n), "argument 2");
	check(clSetKernelArg(kernel, 3, sizeof arguments->a, &arguments->a), "argument 3");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
	      "launch");
	check(clFinish(queue), "finish");
	check(starpu_opencl_release_kernel(kernel), "release");
	measured_us = now_us() - begin_us;
}

/* ---- estimates ----------------------------------------------------------------------------- */

static const char *wrong = "";

/* The five lines. */
static void describe(struct starpu_task *task, predictd_starpu_launch *launch)
{
	const struct task_arguments *arguments = task->cl_arg;
	const uint64_t global[] = {work_items(kernel_of(task), arguments->n)}, local[] = {GROUP};
	predictd_starpu_range(launch, 1, global, local);
	predictd_starpu_buffer(launch, STARPU_TASK_GET_HANDLE(task, 0));
	predictd_starpu_buffer(launch, STARPU_TASK_GET_HANDLE(task, 1));
	predictd_starpu_arg(launch, strcmp(wrong, "size") == 0 ? 3 : sizeof arguments->n,
	                    &arguments->n);
	if (strcmp(wrong, "count") != 0)
		predictd_starpu_arg(launch, sizeof arguments->a, &arguments->a);
}

static unsigned kind_of(const struct starpu_task *task)
{
	const struct task_arguments *arguments = task->cl_arg;
	unsigned size = 0;
	while (sizes[size] != arguments->n)
		size++;
	return kernel_of(task) * SIZES + size;
}

static double oracle(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	(void)nimpl;
	return table_us[arch->devices[0].devid][kind_of(task)];
}

static bool table_read(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned device, kind;
	double us;
	if (file == NULL)
		return false;
	while (fscanf(file, "%u %u %lf", &device, &kind, &us) == 3)
		if (device < DEVICES_MAX && kind < KINDS)
			table_us[device][kind] = us;
	(void)fclose(file);
	return true;
}

static bool models_set(const char *mode, const char *table, const char *source)
{
	for (unsigned i = 0; i < KERNELS; i++) {
		models[i] =
		        (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = names[i]};
		if (strcmp(mode, "history") == 0) {
			codelets[i].model = &models[i];
		} else if (strcmp(mode, "oracle") == 0) {
			models[i].type = STARPU_PER_ARCH;
			models[i].arch_cost_function = oracle;
			codelets[i].model = &models[i];
		} else if (strcmp(mode, "predictd") == 0) {
			kernels[i] = (predictd_starpu){
			        .file = source, .kernel = names[i], .launch = describe};
			if (predictd_starpu_attach(&kernels[i], &codelets[i]) != PREDICTD_OK)
				return false;
		}
	}
	return strcmp(mode, "oracle") != 0 || (table != NULL && table_read(table));
}

/* ---- the work ------------------------------------------------------------------------------ */

static float *x_data[SIZES], *y_data[KINDS][CHAINS];
static starpu_data_handle_t x[SIZES], y[KINDS][CHAINS];

static float *floats_new(uint32_t n)
{
	float *data = malloc(n * sizeof *data);
	for (uint32_t i = 0; i < n && data != NULL; i++)
		data[i] = (float)(i % 1000) / 1000;
	return data;
}

static bool data_register(void)
{
	for (unsigned size = 0; size < SIZES; size++) {
		if ((x_data[size] = floats_new(sizes[size])) == NULL)
			return false;
		starpu_vector_data_register(&x[size], STARPU_MAIN_RAM, (uintptr_t)x_data[size],
		                            sizes[size], sizeof(float));
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned chain = 0; chain < CHAINS; chain++) {
			uint32_t n = sizes[kind % SIZES];
			if ((y_data[kind][chain] = floats_new(n)) == NULL)
				return false;
			starpu_vector_data_register(&y[kind][chain], STARPU_MAIN_RAM,
			                            (uintptr_t)y_data[kind][chain], n,
			                            sizeof(float));
		}
	return true;
}

static double data_unregister(void)
{
	double sum = 0;
	for (unsigned size = 0; size < SIZES; size++)
		starpu_data_unregister(x[size]);
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned chain = 0; chain < CHAINS; chain++) {
			starpu_data_unregister(y[kind][chain]);
			for (uint32_t i = 0; i < sizes[kind % SIZES]; i += 97)
				sum += (double)y_data[kind][chain][i];
			free(y_data[kind][chain]);
		}
	for (unsigned size = 0; size < SIZES; size++)
		free(x_data[size]);
	return sum;
}

static struct task_arguments arguments[KINDS];

/* Task i: every kind comes up equally often, and the order of kinds is no order of times. */
static struct starpu_task *task_new(unsigned i, bool in_chains)
{
	unsigned kind = i * 7 % KINDS, size = kind % SIZES;
	struct starpu_task *task = starpu_task_create();
	arguments[kind] = (struct task_arguments){sizes[size], 0.5F};
	task->cl = &codelets[kind / SIZES];
	/* a chain: one buffer of a size that all of it writes in turn */
	unsigned owner = in_chains ? size : kind, chain = in_chains ? i % 5 : i / KINDS % CHAINS;
	task->handles[0] = y[owner][chain];
	task->handles[1] = x[size];
	task->cl_arg = &arguments[kind];
	task->cl_arg_size = sizeof arguments[kind];
	task->destroy = 0;
	task->detach = 0;
	return task;
}

static void submit(struct starpu_task *task)
{
	if (starpu_task_submit(task) != 0) {
		fprintf(stderr, "mixed: a task cannot run\n");
		exit(1);
	}
}

static int compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return p < q ? -1 : p > q;
}

static void on_worker(unsigned kind, int worker)
{
	struct starpu_task *task = task_new(0, false);
	task->cl = &plain[kind / SIZES];
	arguments[kind] = (struct task_arguments){sizes[kind % SIZES], 0.5F};
	task->cl_arg = &arguments[kind];
	task->handles[0] = y[kind][0];
	task->handles[1] = x[kind % SIZES];
	task->execute_on_a_specific_worker = 1;
	task->workerid = (unsigned)worker;
	submit(task);
	(void)!starpu_task_wait(task);
	starpu_task_destroy(task);
}

static void warm_up(const int *workers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			on_worker(kind, workers[i]);
}

static int measure(const char *path, const int *workers, unsigned count)
{
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return 1;
	for (unsigned i = 0; i < count; i++)
		for (unsigned kind = 0; kind < KINDS; kind++) {
			double us[RUNS];
			for (unsigned run = 0; run < RUNS; run++) {
				on_worker(kind, workers[i]);
				us[run] = measured_us;
			}
			qsort(us, RUNS, sizeof us[0], compare);
			fprintf(file, "%d %u %.3f\n", starpu_worker_get_devid(workers[i]), kind,
			        us[RUNS / 2]);
		}
	return fclose(file) != 0;
}

static double wait_s = 0.05; /* for estimates before the first submission */
static const char *middle;   /* a command, or NULL */

static unsigned long ran(const int *workers, unsigned worker_count)
{
	unsigned long sum = 0;
	for (unsigned i = 0; i < worker_count; i++)
		sum += ran_on[workers[i]];
	return sum;
}

static int run(const char *mode, struct starpu_task **tasks, unsigned count, const int *workers,
               unsigned worker_count)
{
	unsigned long before[STARPU_NMAXWORKERS], ran_before = ran(workers, worker_count);
	for (unsigned i = 0; i < worker_count; i++)
		before[i] = ran_on[workers[i]];
	size_t known = 0;
	struct starpu_task stranger, *const strangers[] = {&stranger};
	starpu_task_init(&stranger);
	stranger.cl = &plain[0]; /* which is not attached, and not known therefore */
	double begin_us = now_us();
	if (strcmp(mode, "predictd") == 0)
		known = predictd_starpu_prepare(strangers, 1, 0) +
		        predictd_starpu_prepare(tasks, count < KINDS ? count : KINDS, wait_s);
	double prepared_us = now_us();
	for (unsigned i = 0; i < count; i++)
		submit(tasks[i]);
	double submitted_us = now_us();
	while (middle != NULL && ran(workers, worker_count) - ran_before < count / 2)
		(void)usleep(100);
	if (middle != NULL)
		(void)!system(middle); /* the caller's own command */
	(void)starpu_task_wait_for_all();
	double end_us = now_us();
	printf("mode=%s makespan_us=%.0f prepare_us=%.0f submit_us=%.3f", mode, end_us - begin_us,
	       prepared_us - begin_us, (submitted_us - prepared_us) / count);
	for (unsigned i = 0; i < worker_count; i++)
		printf(" worker%u=%lu", i, ran_on[workers[i]] - before[i]);
	printf(" known=%zu", known);
	return 0;
}

static struct starpu_task **tasks_new(unsigned count, bool in_chains)
{
	struct starpu_task **tasks = calloc(count, sizeof(*tasks));
	for (unsigned i = 0; i < count && tasks != NULL; i++)
		tasks[i] = task_new(i, in_chains);
	return tasks;
}

int main(int argc, char **argv)
{
	bool in_chains = false;
	const char *mode = argc > 1 ? argv[1] : "none", *table = NULL;
	const char *source = getenv("MIXED_SOURCE");
	unsigned count = 300;
	int workers[STARPU_NMAXWORKERS], status = 1;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--chains") == 0)
			in_chains = true;
		else if (strcmp(argv[i], "--tasks") == 0 && i + 1 < argc)
			count = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--wait") == 0 && i + 1 < argc)
			wait_s = atof(argv[++i]);
		else if (strcmp(argv[i], "--middle") == 0 && i + 1 < argc)
			middle = argv[++i];
		else if (strcmp(argv[i], "--wrong") == 0 && i + 1 < argc)
			wrong = argv[++i];
		else
			table = argv[i];
	}
	if (count < 1 || count > TASKS_MAX || source == NULL) {
		fprintf(stderr, "usage: MIXED_SOURCE=mixed.cl mixed MODE [TABLE] [--chains] "
		                "[--tasks N] [--wait S] [--middle COMMAND] [--wrong size|count]\n");
		return 2;
	}
	if (starpu_init(NULL) != 0)
		return 77;
	for (unsigned i = 0; i < KERNELS; i++)
		plain[i] = codelets[i] = (struct starpu_codelet){.opencl_funcs = {run_opencl},
		                                                 .nbuffers = 2,
		                                                 .modes = {modes[i], STARPU_R},
		                                                 .name = names[i]};
	/* as a program would: estimates are made ready while it builds its kernels */
	bool has_models = strcmp(mode, "measure") == 0 || models_set(mode, table, source);
	unsigned worker_count =
	        starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, STARPU_NMAXWORKERS);
	check(starpu_opencl_load_opencl_from_file(source, &program, NULL), "build");
	bool is_ready = worker_count > 0 && has_models && data_register();
	struct starpu_task **tasks = is_ready ? tasks_new(count, in_chains) : NULL;
	is_ready = tasks != NULL;
	/* asked ahead, and answered while kernels are compiled */
	if (is_ready && strcmp(mode, "predictd") == 0)
		(void)predictd_starpu_prepare(tasks, count < KINDS ? count : KINDS, 0);
	if (is_ready)
		warm_up(workers, worker_count);
	if (is_ready && strcmp(mode, "measure") == 0)
		status = table == NULL || measure(table, workers, worker_count);
	else if (is_ready)
		status = run(mode, tasks, count, workers, worker_count);
	for (unsigned i = 0; i < count && tasks != NULL; i++)
		starpu_task_destroy(tasks[i]);
	free(tasks);
	double sum = data_unregister();
	predictd_starpu_counts counts;
	predictd_starpu_get_counts(&counts);
	if (strcmp(mode, "measure") != 0)
		printf(" estimates=%llu histories=%llu unknown=%llu reported=%llu losses=%llu "
		       "checksum=%.6g\n",
		       (unsigned long long)counts.estimates, (unsigned long long)counts.histories,
		       (unsigned long long)counts.unknown, (unsigned long long)counts.reported,
		       (unsigned long long)counts.losses, sum);
	predictd_starpu_finish();
	(void)starpu_opencl_unload_opencl(&program);
	starpu_shutdown();
	return status;
}
