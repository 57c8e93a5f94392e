/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starpu_tasks FILE.cl: 200 tasks of two kernels, placed by StarPU, which is told what they take
 * before any has run. docs/starpu.md goes through it; lines that are there for predictd end in
 * "predictd".
 *
 * cc starpu_tasks.c $(pkg-config --cflags --libs predictd-starpu) -lOpenCL -o starpu_tasks
 * STARPU_SCHED=dmda ./starpu_tasks starpu_tasks.cl
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <predictd_starpu.h> /* predictd */
#include <starpu_opencl.h>

enum { TASKS = 200, VECTORS = 8, KINDS = 2 * VECTORS, GROUP = 64 };

struct arguments {
	uint32_t n;
	float a;
};

static struct starpu_opencl_program program;

static uint64_t work_items(const struct arguments *arguments)
{
	return (arguments->n + GROUP - 1) / GROUP * GROUP;
}

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS) {
		(void)fprintf(stderr, "starpu_tasks: %s: OpenCL's error %d\n", what, status);
		exit(EXIT_FAILURE);
	}
}

static void run(const char *name, void *buffers[], void *argument)
{
	const struct arguments *arguments = argument;
	cl_mem x = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	size_t global = work_items(arguments), local = GROUP;
	cl_kernel kernel;
	cl_command_queue queue;
	check(starpu_opencl_load_kernel(&kernel, &queue, &program, name,
	                                starpu_worker_get_devid(starpu_worker_get_id())),
	      name);
	check(clSetKernelArg(kernel, 0, sizeof x, &x), "x");
	check(clSetKernelArg(kernel, 1, sizeof arguments->n, &arguments->n), "n");
	check(clSetKernelArg(kernel, 2, sizeof arguments->a, &arguments->a), "a");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), name);
	check(clFinish(queue), "finish");
	check(starpu_opencl_release_kernel(kernel), "release");
}

static void run_scale(void *buffers[], void *argument)
{
	run("scale", buffers, argument);
}

static void run_smooth(void *buffers[], void *argument)
{
	run("smooth", buffers, argument);
}

static struct starpu_codelet scale = {
        .opencl_funcs = {run_scale}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "scale"};
static struct starpu_codelet smooth = {
        .opencl_funcs = {run_smooth}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "smooth"};

/* What a task launches: predictd. */
static void describe(struct starpu_task *task, predictd_starpu_launch *launch)
{
	const struct arguments *arguments = task->cl_arg;
	const uint64_t global[] = {work_items(arguments)}, local[] = {GROUP};
	predictd_starpu_range(launch, 1, global, local);
	predictd_starpu_buffer(launch, STARPU_TASK_GET_HANDLE(task, 0));
	predictd_starpu_arg(launch, sizeof arguments->n, &arguments->n);
	predictd_starpu_arg(launch, sizeof arguments->a, &arguments->a);
}

static predictd_starpu scale_kernel = {.kernel = "scale", .launch = describe};   /* predictd */
static predictd_starpu smooth_kernel = {.kernel = "smooth", .launch = describe}; /* predictd */

static struct arguments arguments_of[VECTORS];
static float *data[VECTORS];
static starpu_data_handle_t vectors[VECTORS];

static int vectors_register(void)
{
	for (unsigned i = 0; i < VECTORS; i++) {
		uint32_t n = UINT32_C(4096) << 2 * (i % 4);
		arguments_of[i] = (struct arguments){n, 0.5F};
		if ((data[i] = malloc(n * sizeof *data[i])) == NULL)
			return 0;
		for (uint32_t j = 0; j < n; j++)
			data[i][j] = (float)(j % 100) / 100;
		starpu_vector_data_register(&vectors[i], STARPU_MAIN_RAM, (uintptr_t)data[i], n,
		                            sizeof *data[i]);
	}
	return 1;
}

static struct starpu_task *task_new(unsigned i)
{
	struct starpu_task *task = starpu_task_create();
	task->cl = i / VECTORS % 2 == 0 ? &scale : &smooth;
	task->handles[0] = vectors[i % VECTORS];
	task->cl_arg = &arguments_of[i % VECTORS];
	task->cl_arg_size = sizeof arguments_of[0];
	return task;
}

int main(int argc, char **argv)
{
	struct starpu_task *tasks[TASKS];
	if (argc != 2) {
		(void)fprintf(stderr, "usage: starpu_tasks FILE.cl\n");
		return 2;
	}
	if (starpu_init(NULL) != 0)
		return 77;
	scale_kernel.file = smooth_kernel.file = argv[1];
	(void)predictd_starpu_attach(&scale_kernel, &scale);   /* predictd */
	(void)predictd_starpu_attach(&smooth_kernel, &smooth); /* predictd */
	if (!vectors_register())
		return EXIT_FAILURE;
	for (unsigned i = 0; i < TASKS; i++)
		tasks[i] = task_new(i);
	/* evaluated while OpenCL compiles; the first 16 tasks are one of each kind */
	(void)predictd_starpu_prepare(tasks, KINDS, 0); /* predictd */
	check(starpu_opencl_load_opencl_from_file(argv[1], &program, NULL), argv[1]);
	size_t known = predictd_starpu_prepare(tasks, KINDS, 0.1); /* predictd */

	double begin_us = starpu_timing_now();
	for (unsigned i = 0; i < TASKS; i++)
		if (starpu_task_submit(tasks[i]) != 0) {
			(void)fprintf(stderr, "starpu_tasks: no device can run a task\n");
			return EXIT_FAILURE;
		}
	(void)starpu_task_wait_for_all();
	(void)printf("%d tasks in %.1f ms, %zu of %d kinds known before\n", TASKS,
	             1e-3 * (starpu_timing_now() - begin_us), known, KINDS);

	for (unsigned i = 0; i < VECTORS; i++) {
		starpu_data_unregister(vectors[i]);
		free(data[i]);
	}
	predictd_starpu_counts counts;
	predictd_starpu_get_counts(&counts);
	(void)printf("%" PRIu64 " estimates, %" PRIu64 " by history, %" PRIu64 " unknown; %" PRIu64
	             " tasks reported\n",
	             counts.estimates, counts.histories, counts.unknown, counts.reported);
	predictd_starpu_finish(); /* predictd */
	check(starpu_opencl_unload_opencl(&program), "unload");
	starpu_shutdown();
	return EXIT_SUCCESS;
}
