/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule [STEPS]: a scheduler of tasks that depend on each other, on the OpenCL devices of this
 * process that predictd has calibrated.
 *
 * Tasks are those of a ring of tiles: in each step a tile is made of itself and its right
 * neighbour, with much arithmetic in every second task. predictd_schedule_add says where each task
 * goes, and when, by what launches and copies take. One thread a device runs what was placed there,
 * in that order, and reports what it took.
 *
 * Printed are the makespan as predicted and as measured: for the first device alone, then for a
 * schedule before anything was observed, and for two after.
 *
 * cc schedule.c $(pkg-config --cflags --libs predictd) -lOpenCL -lpthread -lm -o schedule
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <predictd.h>
#include <predictd_opencl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	TILES = 8,
	STEPS_MAX = 1000,
	TASKS_MAX = TILES * STEPS_MAX,
	BUFFERS = 2 * TILES, /* a step reads one half and writes the other */
	ITEMS = 65536,
	TILE_BYTES = 4 * ITEMS,
	GROUP = 64,
	DEVICES_MAX = 8,
	ROUNDS = 4
};

static const char source_text[] =
        "kernel void relax(global const float *a, global const float *b, global float *out,\n"
        "                  int trips)\n"
        "{\n"
        "	int i = get_global_id(0);\n"
        "	float y = 0.5f * (a[i] + b[i]);\n"
        "	for (int trip = 0; trip < trips; trip++)\n"
        "		y = y + 0.125f * (1 - y * y);\n"
        "	out[i] = y;\n"
        "}\n";

struct device {
	char name[256];
	char key[PREDICTD_KEY_BYTES];
	cl_context context;
	cl_command_queue queue, copies; /* of its own thread; of whoever fetches from it */
	cl_program program;
	cl_kernel kernel;
	cl_mem buffers[BUFFERS];
	unsigned tasks[TASKS_MAX], task_count; /* placed there, in their order */
};

/* of a task with little arithmetic, and with much */
static predictd_argument arguments[2][4];
static predictd_question questions[2];

/* Where a tile's value is. */
struct places {
	bool is_on_host, is_on[DEVICES_MAX];
};

static struct device devices[DEVICES_MAX];
static size_t device_count;
static predictd_prepared *prepared;

static unsigned task_count;

static float *hosts[BUFFERS];
static struct places actual[BUFFERS];
static pthread_mutex_t copying[BUFFERS]; /* of a tile: one thread at a time */
static bool is_done[TASKS_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of is_done */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	(void)fprintf(stderr, "schedule: %s: OpenCL's error %d\n", what, status);
	exit(EXIT_FAILURE);
}

/* ---- tasks: number step * TILES + tile ----------------------------------------------------- */

static const int32_t trips_of_kind[2] = {1, 200};

static unsigned kind_of(unsigned task)
{
	return (task + task / TILES) % 2;
}

/* The buffer of tile `tile + right` as it is before or after a step. */
static unsigned buffer_of(unsigned task, unsigned right, unsigned after)
{
	return (task / TILES + after) % 2 * TILES + (task + right) % TILES;
}

/* Tasks of the step before that made the inputs, or read what this one overwrites. */
static unsigned task_before(unsigned task, unsigned i)
{
	return (task / TILES - 1) * TILES + (task + TILES - 1 + i) % TILES;
}

static unsigned befores(unsigned task)
{
	return task < TILES ? 0 : 3;
}

static predictd_launch launch_of(const int32_t *trips, predictd_value *value)
{
	*value = (predictd_value){.argument = 3, .size_bytes = sizeof *trips, .bytes = trips};
	return (predictd_launch){.value_count = 1, .values = value};
}

/* ---- planning ------------------------------------------------------------------------------ */

/* Gives devices their tasks, by when they begin. */
static void follow(const predictd_plan *plan)
{
	for (size_t i = 0; i < device_count; i++)
		devices[i].task_count = 0;
	for (unsigned task = 0; task < task_count; task++) {
		struct device *device = &devices[plan->tasks[task].device];
		unsigned at = device->task_count++;
		for (; at > 0 &&
		       plan->tasks[device->tasks[at - 1]].start_s > plan->tasks[task].start_s;
		     at--)
			device->tasks[at] = device->tasks[at - 1];
		device->tasks[at] = task;
	}
}

/*
 * Places every task, on the first device alone or on all. What tasks wait for follows from the
 * buffers that they read and write. makespan_s: as predicted.
 */
static predictd_status plan(predictd_connection *connection, bool is_alone, double *makespan_s)
{
	static predictd_schedule_device places[PREDICTD_SCHEDULE_DEVICES_MAX];
	static predictd_schedule_task tasks[TASKS_MAX];
	static size_t reads[TASKS_MAX][2], writes[TASKS_MAX];
	predictd_schedule_buffer buffers[BUFFERS];
	predictd_schedule *schedule = NULL;
	predictd_plan made;
	const char *keys[DEVICES_MAX];
	for (size_t i = 0; i < device_count; i++)
		keys[i] = devices[i].key;
	for (unsigned i = 0; i < BUFFERS; i++)
		buffers[i] =
		        (predictd_schedule_buffer){.size_bytes = TILE_BYTES, .is_on_host = true};
	for (unsigned task = 0; task < task_count; task++) {
		reads[task][0] = buffer_of(task, 0, 0);
		reads[task][1] = buffer_of(task, 1, 0);
		writes[task] = buffer_of(task, 0, 1);
		tasks[task] = (predictd_schedule_task){.question = &questions[kind_of(task)],
		                                       .read_count = 2,
		                                       .reads = reads[task],
		                                       .write_count = 1,
		                                       .writes = &writes[task]};
	}
	predictd_schedule_options options = {.size = sizeof options, .devices = places};
	/* what copies take, too */
	predictd_status status = predictd_schedule_devices(
	        connection, keys, is_alone ? 1 : device_count, places, &options.device_count);
	if (status == PREDICTD_OK)
		status = predictd_schedule_new(&options, &schedule);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add_buffers(schedule, buffers, BUFFERS);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add(schedule, connection, tasks, task_count, 0);
	if (status == PREDICTD_OK) {
		predictd_schedule_get(schedule, &made);
		follow(&made);
		*makespan_s = made.makespan_s;
	}
	predictd_schedule_free(schedule);
	return status;
}

/* ---- running ------------------------------------------------------------------------------- */

static void to_host(unsigned buffer)
{
	for (size_t from = 0; from < device_count && !actual[buffer].is_on_host; from++)
		if (actual[buffer].is_on[from]) {
			must(clEnqueueReadBuffer(devices[from].copies,
			                         devices[from].buffers[buffer], CL_TRUE, 0,
			                         TILE_BYTES, hosts[buffer], 0, NULL, NULL),
			     "download");
			actual[buffer].is_on_host = true;
		}
}

static void fetch(unsigned buffer, size_t to)
{
	(void)pthread_mutex_lock(&copying[buffer]);
	if (!actual[buffer].is_on[to]) {
		to_host(buffer);
		must(clEnqueueWriteBuffer(devices[to].queue, devices[to].buffers[buffer], CL_TRUE,
		                          0, TILE_BYTES, hosts[buffer], 0, NULL, NULL),
		     "upload");
		actual[buffer].is_on[to] = true;
	}
	(void)pthread_mutex_unlock(&copying[buffer]);
}

/* Runs a task whose inputs are there; observation: what it took. */
static void launch(unsigned task, size_t on, predictd_observation *observation)
{
	const struct device *device = &devices[on];
	const size_t global = ITEMS, local = GROUP;
	int32_t trips = trips_of_kind[kind_of(task)];
	cl_ulong start_ns = 0, end_ns = 0;
	cl_event event;
	double begin_s = now_s();
	must(clSetKernelArg(device->kernel, 0, sizeof(cl_mem),
	                    &device->buffers[buffer_of(task, 0, 0)]),
	     "a");
	must(clSetKernelArg(device->kernel, 1, sizeof(cl_mem),
	                    &device->buffers[buffer_of(task, 1, 0)]),
	     "b");
	must(clSetKernelArg(device->kernel, 2, sizeof(cl_mem),
	                    &device->buffers[buffer_of(task, 0, 1)]),
	     "out");
	must(clSetKernelArg(device->kernel, 3, sizeof trips, &trips), "trips");
	must(clEnqueueNDRangeKernel(device->queue, device->kernel, 1, NULL, &global, &local, 0,
	                            NULL, &event),
	     "launch");
	must(clWaitForEvents(1, &event), "wait");
	double task_s = now_s() - begin_s;
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
	                             NULL),
	     "START");
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL),
	     "END");
	must(clReleaseEvent(event), "release");
	*observation = (predictd_observation){.kernel_time_s = 1e-9 * (double)(end_ns - start_ns),
	                                      .task_time_s = task_s};
}

static void await(unsigned task)
{
	(void)pthread_mutex_lock(&mutex);
	for (unsigned i = 0; i < befores(task); i++)
		while (!is_done[task_before(task, i)])
			(void)pthread_cond_wait(&changed, &mutex);
	(void)pthread_mutex_unlock(&mutex);
}

static void finish(unsigned task)
{
	(void)pthread_mutex_lock(&mutex);
	is_done[task] = true;
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&mutex);
}

/* A device's thread: its tasks in the order of the schedule. */
static void *work(void *context)
{
	const struct device *device = context;
	const size_t on = (size_t)(device - devices);
	for (unsigned i = 0; i < device->task_count; i++) {
		const unsigned task = device->tasks[i];
		predictd_observation observation;
		predictd_value value;
		int32_t trips = trips_of_kind[kind_of(task)];
		await(task);
		fetch(buffer_of(task, 0, 0), on);
		fetch(buffer_of(task, 1, 0), on);
		launch(task, on, &observation);
		struct places *output = &actual[buffer_of(task, 0, 1)];
		*output = (struct places){0};
		output->is_on[on] = true;
		finish(task);
		/* queued, and sent in the background: a runtime never waits for it */
		predictd_launch said = launch_of(&trips, &value);
		(void)predictd_prepared_report(prepared, &said, on, &observation);
	}
	return NULL;
}

static void tiles_fill(void)
{
	for (unsigned buffer = 0; buffer < BUFFERS; buffer++) {
		for (unsigned i = 0; i < ITEMS; i++)
			hosts[buffer][i] = (float)((i + buffer) % 100) / 100;
		actual[buffer] = (struct places){.is_on_host = true};
	}
}

/* Runs the schedule; returns the measured makespan. sum: of all results. */
static double run(double *sum)
{
	pthread_t threads[DEVICES_MAX];
	memset(is_done, 0, sizeof is_done);
	double begin_s = now_s();
	for (size_t i = 0; i < device_count; i++)
		if (pthread_create(&threads[i], NULL, work, &devices[i]) != 0) {
			(void)fprintf(stderr, "schedule: no thread can be had\n");
			exit(EXIT_FAILURE);
		}
	for (size_t i = 0; i < device_count; i++)
		(void)pthread_join(threads[i], NULL);
	double makespan_s = now_s() - begin_s;
	*sum = 0;
	for (unsigned tile = 0; tile < TILES; tile++) {
		unsigned buffer = buffer_of(task_count - TILES + tile, 0, 1);
		to_host(buffer);
		for (unsigned i = 0; i < ITEMS; i++)
			*sum += (double)hosts[buffer][i];
	}
	return makespan_s;
}

/* ---- devices ------------------------------------------------------------------------------- */

static void device_open(struct device *device, cl_device_id id, const char *key)
{
	const char *text = source_text;
	cl_int status;
	predictd_opencl_text(id, CL_DEVICE_NAME, device->name, sizeof device->name);
	(void)snprintf(device->key, sizeof device->key, "%s", key);
	device->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
	must(status, "context");
	device->queue =
	        clCreateCommandQueue(device->context, id, CL_QUEUE_PROFILING_ENABLE, &status);
	must(status, "queue");
	device->copies = clCreateCommandQueue(device->context, id, 0, &status);
	must(status, "queue");
	device->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &status);
	must(status, "program");
	must(clBuildProgram(device->program, 1, &id, NULL, NULL, NULL), "build");
	device->kernel = clCreateKernel(device->program, "relax", &status);
	must(status, "kernel");
	for (unsigned i = 0; i < BUFFERS; i++) {
		device->buffers[i] = clCreateBuffer(device->context, CL_MEM_READ_WRITE, TILE_BYTES,
		                                    NULL, &status);
		must(status, "buffer");
	}
}

static void device_close(struct device *device)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		must(clReleaseMemObject(device->buffers[i]), "release");
	must(clReleaseKernel(device->kernel), "release");
	must(clReleaseProgram(device->program), "release");
	must(clReleaseCommandQueue(device->queue), "release");
	must(clReleaseCommandQueue(device->copies), "release");
	must(clReleaseContext(device->context), "release");
}

/* Those of this process that predictd has calibrated, by their keys. */
static predictd_status devices_open(predictd_connection *connection)
{
	static predictd_opencl_devices here;
	predictd_devices *known = NULL;
	predictd_status status = predictd_opencl_list(&here);
	if (status == PREDICTD_OK)
		status = predictd_list_devices(connection, false, &known);
	for (size_t i = 0; status == PREDICTD_OK && i < here.count; i++)
		for (size_t j = 0; j < known->count && device_count < DEVICES_MAX; j++)
			if (known->devices[j].is_calibrated &&
			    strcmp(known->devices[j].key, here.keys[i]) == 0)
				device_open(&devices[device_count++], here.devices[i],
				            here.keys[i]);
	predictd_devices_free(known);
	return status;
}

/* ---- predictd ------------------------------------------------------------------------------ */

/* The questions that tasks ask, and one that launches are reported by. */
static predictd_status prepare(predictd_connection *connection, const predictd_program *program)
{
	const char *keys[DEVICES_MAX];
	for (size_t i = 0; i < device_count; i++)
		keys[i] = devices[i].key;
	for (unsigned kind = 0; kind < 2; kind++) {
		for (unsigned i = 0; i < 3; i++)
			arguments[kind][i] = (predictd_argument){.kind = PREDICTD_BUFFER,
			                                         .access = i < 2 ? PREDICTD_READ
			                                                         : PREDICTD_WRITE,
			                                         .size_bytes = TILE_BYTES};
		arguments[kind][3] = (predictd_argument){
		        .kind = PREDICTD_SCALAR, .type = "int", .integers = {trips_of_kind[kind]}};
		questions[kind] = (predictd_question){.program = program,
		                                      .dimensions = 1,
		                                      .global = {ITEMS},
		                                      .local = {GROUP},
		                                      .argument_count = 4,
		                                      .arguments = arguments[kind]};
	}
	return predictd_prepared_new(connection, &questions[0], keys, device_count, &prepared);
}

static predictd_status schedule(predictd_connection *connection)
{
	static const char *const titles[ROUNDS] = {"first device alone", "before any observation",
	                                           "after one run", "after two runs"};
	double alone = 0, sum = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		double predicted_s;
		tiles_fill();
		predictd_status status = plan(connection, round == 0, &predicted_s);
		if (status != PREDICTD_OK)
			return status;
		double measured_s = run(round == 0 ? &alone : &sum);
		(void)printf("%s: predicted %.2f ms, measured %.2f ms;", titles[round],
		             1e3 * predicted_s, 1e3 * measured_s);
		for (size_t i = 0; i < device_count; i++)
			(void)printf(" %u tasks on %s%s", devices[i].task_count, devices[i].name,
			             i + 1 < device_count ? "," : "\n");
		/* what was reported counts in the next plan */
		status = predictd_flush(connection);
		if (status != PREDICTD_OK)
			return status;
	}
	if (!(fabs(sum - alone) <= 1e-4 * fabs(alone))) {
		(void)fprintf(stderr, "schedule: want the results of one device, %g, got %g\n",
		              alone, sum);
		exit(EXIT_FAILURE);
	}
	return PREDICTD_OK;
}

/* Compilers run at a kernel's first launch, which is nobody's to learn from. */
static void warm_up(void)
{
	predictd_observation nobody;
	for (size_t i = 0; i < device_count; i++)
		launch(0, i, &nobody);
}

int main(int argc, char **argv)
{
	const predictd_source source = {
	        .name = "relax.cl", .text = source_text, .size = strlen(source_text)};
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 25;
	int result = EXIT_FAILURE;
	if (argc > 2 || steps < 1 || steps > STEPS_MAX) {
		(void)fprintf(stderr, "usage: schedule [STEPS], 1 to %d\n", STEPS_MAX);
		return 2;
	}
	task_count = TILES * (unsigned)steps;
	for (unsigned i = 0; i < BUFFERS; i++) {
		(void)pthread_mutex_init(&copying[i], NULL);
		if ((hosts[i] = malloc(TILE_BYTES)) == NULL) {
			perror("schedule");
			goto done;
		}
	}
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    devices_open(connection) != PREDICTD_OK)
		goto out;
	if (device_count == 0) {
		(void)fprintf(stderr, "schedule: no calibrated OpenCL device: type \"predictctl "
		                      "calibrate\"\n");
		goto done;
	}
	if (predictd_register(connection, &source, &program) != PREDICTD_OK ||
	    prepare(connection, program) != PREDICTD_OK)
		goto out;
	warm_up();
	if (schedule(connection) != PREDICTD_OK)
		goto out;
	result = EXIT_SUCCESS;
	goto done;
out:
	(void)fprintf(stderr, "schedule: %s\n", predictd_error_text());
done:
	predictd_prepared_free(prepared);
	predictd_program_free(program);
	predictd_close(connection);
	for (size_t i = 0; i < device_count; i++)
		device_close(&devices[i]);
	for (unsigned i = 0; i < BUFFERS; i++)
		free(hosts[i]);
	return result;
}
