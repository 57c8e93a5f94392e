/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs [OPTION]... DEVICE DEVICE    graphs of tasks on two devices, by three ways of placing
 *
 * `predicted` follows a schedule by predictions, made before anything has run; `measured` one by
 * the median time of each kind of task on each device alone; `eager` has no times: the device that
 * is free takes the first task that is ready. Each is run some times, in turns. CPU devices share
 * the host's memory, others have copies of tiles, which go by way of the host. What is computed is
 * compared with what the first device computes alone.
 *
 * A line of CSV a graph and way is written as soon as the graph is done.
 *
 *   --folder FOLDER     of tiles.cl (tests/split)
 *   --side N            256: of tiles, a multiple of 64
 *   --runs N            3: of each way
 *   --only TEXT         graphs whose names have it
 *   --limit SECONDS     60: for a graph
 *   --slowdowns A,B     by how much the first device slows down beside the second, and vice versa
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/split/executor.h"
#include "tests/split/graph.h"

enum { PAIR = 2, RUNS_MAX = 100, KIND_RUNS = 5, GROUP_ITEMS = 64, NEEDS_MAX = GRAPH_TASKS_MAX };
enum way { PREDICTED, MEASURED, EAGER, ALONE, WAYS };

static const char *const way_names[WAYS] = {"predicted", "measured", "eager", "alone"};

static struct options {
	const char *folder, *only, *slowdowns;
	long side, runs, limit_s;
} options = {.folder = "tests/split", .side = 256, .runs = 3, .limit_s = 60};

static char *const *device_names;

/* What is known of a tile: who has it as it is now. */
struct tile {
	float *made, *host;
	cl_mem buffers[PAIR];
	pthread_mutex_t mutex; /* of is_on and is_on_host */
	bool is_on_host, is_on[PAIR];
};

static struct graph graph;
static struct tile tiles[GRAPH_TILES_MAX];
static struct device devices[PAIR];
static cl_command_queue copies[PAIR]; /* of whoever fetches from the device */
static cl_kernel kernels[PAIR][KINDS];
static bool is_in_place[PAIR];
static size_t tile_bytes;

/* needs[i]: tasks that end before task i begins */
static size_t *needs[GRAPH_TASKS_MAX], need_counts[GRAPH_TASKS_MAX];

static double kind_s[KINDS][PAIR]; /* measured */
static double copy_s[PAIR][2];     /* of a tile: to the device, and back */

/* ---- the order of tasks -------------------------------------------------------------------- */

static void need_add(size_t task, size_t before)
{
	for (size_t i = 0; i < need_counts[task]; i++)
		if (needs[task][i] == before)
			return;
	needs[task] = realloc(needs[task], (need_counts[task] + 1) * sizeof *needs[task]);
	if (needs[task] == NULL)
		fail("no memory");
	needs[task][need_counts[task]++] = before;
}

/* What is written comes after those that wrote or read it; what is read, after who wrote it. */
static void needs_find(void)
{
	for (size_t i = 0; i < graph.task_count; i++) {
		const struct task_kind *kind = &task_kinds[graph.tasks[i].kind];
		for (size_t j = 0; j < kind->tiles; j++) {
			bool is_written = (kind->written >> j & 1) != 0;
			for (size_t k = i; k-- > 0;) {
				const struct task_kind *other = &task_kinds[graph.tasks[k].kind];
				bool was_written = false;
				for (size_t l = 0; l < other->tiles; l++) {
					if (graph.tasks[k].tiles[l] != graph.tasks[i].tiles[j])
						continue;
					if ((other->written >> l & 1) != 0)
						was_written = true;
					else if (is_written)
						need_add(i, k);
				}
				if (was_written) {
					need_add(i, k);
					break;
				}
			}
		}
	}
}

/* ---- tasks on devices ---------------------------------------------------------------------- */

static void shape_of(enum shape shape, cl_uint *dimensions, size_t global[2], size_t local[2])
{
	const size_t side = (size_t)options.side;
	const bool is_square = shape == SQUARE || shape == PAIRS;
	*dimensions = is_square ? 2 : 1;
	local[0] = is_square ? 16 : GROUP_ITEMS;
	local[1] = is_square ? 16 : 1;
	global[0] = shape == ONE_GROUP  ? GROUP_ITEMS
	            : shape == ELEMENTS ? side * side
	            : shape == HALVES   ? side * side / 2
	            : shape == PAIRS    ? side / 2
	                                : side;
	global[1] = is_square ? side : 1;
}

static void launch(const struct task *task, size_t on)
{
	const struct task_kind *kind = &task_kinds[task->kind];
	size_t global[2], local[2];
	cl_uint dimensions;
	shape_of(kind->shape, &dimensions, global, local);
	for (size_t i = 0; i < kind->tiles; i++)
		must(clSetKernelArg(kernels[on][task->kind], (cl_uint)i, sizeof(cl_mem),
		                    &tiles[task->tiles[i]].buffers[on]),
		     "argument");
	must(clEnqueueNDRangeKernel(devices[on].queue, kernels[on][task->kind], dimensions, NULL,
	                            global, local, 0, NULL, NULL),
	     kind->kernel);
	must(clFinish(devices[on].queue), kind->kernel);
}

/* With the tile's mutex. */
static void to_host(struct tile *tile)
{
	for (size_t from = 0; from < PAIR && !tile->is_on_host; from++)
		if (tile->is_on[from]) {
			must(clEnqueueReadBuffer(copies[from], tile->buffers[from], CL_TRUE, 0,
			                         tile_bytes, tile->host, 0, NULL, NULL),
			     "read");
			tile->is_on_host = true;
		}
}

static void fetch(struct tile *tile, size_t to)
{
	(void)pthread_mutex_lock(&tile->mutex);
	if (is_in_place[to]) {
		to_host(tile);
	} else if (!tile->is_on[to]) {
		to_host(tile);
		must(clEnqueueWriteBuffer(devices[to].queue, tile->buffers[to], CL_TRUE, 0,
		                          tile_bytes, tile->host, 0, NULL, NULL),
		     "write");
		tile->is_on[to] = true;
	}
	(void)pthread_mutex_unlock(&tile->mutex);
}

static void task_run(const struct task *task, size_t on)
{
	const struct task_kind *kind = &task_kinds[task->kind];
	for (size_t i = 0; i < kind->tiles; i++)
		if ((kind->read >> i & 1) != 0)
			fetch(&tiles[task->tiles[i]], on);
	launch(task, on);
	for (size_t i = 0; i < kind->tiles; i++) {
		struct tile *tile = &tiles[task->tiles[i]];
		if ((kind->written >> i & 1) == 0)
			continue;
		(void)pthread_mutex_lock(&tile->mutex);
		memset(tile->is_on, 0, sizeof tile->is_on);
		tile->is_on_host = is_in_place[on];
		tile->is_on[on] = !is_in_place[on];
		(void)pthread_mutex_unlock(&tile->mutex);
	}
}

static void tiles_reset(void)
{
	for (size_t i = 0; i < graph.tile_count; i++) {
		memcpy(tiles[i].host, tiles[i].made, tile_bytes);
		tiles[i].is_on_host = true;
		memset(tiles[i].is_on, 0, sizeof tiles[i].is_on);
	}
}

/* ---- a run --------------------------------------------------------------------------------- */

/* Where tasks go: by a plan, each device has its own in their order; else the first that is ready.
 */
struct placing {
	bool is_eager;
	size_t order[PAIR][GRAPH_TASKS_MAX], counts[PAIR];
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool is_taken[GRAPH_TASKS_MAX], is_done[GRAPH_TASKS_MAX];
	size_t taken;
	size_t ran_on[GRAPH_TASKS_MAX];
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static bool is_ready(size_t task)
{
	for (size_t i = 0; i < need_counts[task]; i++)
		if (!state.is_done[needs[task][i]])
			return false;
	return true;
}

/* With the mutex: SIZE_MAX when none is ready. */
static size_t first_ready(void)
{
	for (size_t i = 0; i < graph.task_count; i++)
		if (!state.is_taken[i] && is_ready(i))
			return i;
	return SIZE_MAX;
}

static void work(void *context, size_t on)
{
	const struct placing *placing = context;
	for (size_t next = 0;; next++) {
		size_t task = SIZE_MAX;
		(void)pthread_mutex_lock(&state.mutex);
		if (placing->is_eager) {
			while (state.taken < graph.task_count && (task = first_ready()) == SIZE_MAX)
				(void)pthread_cond_wait(&state.changed, &state.mutex);
		} else if (next < placing->counts[on]) {
			task = placing->order[on][next];
			while (!is_ready(task))
				(void)pthread_cond_wait(&state.changed, &state.mutex);
		}
		if (task != SIZE_MAX) {
			state.is_taken[task] = true;
			state.ran_on[task] = on;
			state.taken++;
		}
		(void)pthread_mutex_unlock(&state.mutex);
		if (task == SIZE_MAX)
			return;
		task_run(&graph.tasks[task], on);
		(void)pthread_mutex_lock(&state.mutex);
		state.is_done[task] = true;
		(void)pthread_cond_broadcast(&state.changed);
		(void)pthread_mutex_unlock(&state.mutex);
	}
}

/* The makespan; what was computed is in the host's memory after it. */
static double run(struct placing *placing)
{
	tiles_reset();
	memset(state.is_taken, 0, sizeof state.is_taken);
	memset(state.is_done, 0, sizeof state.is_done);
	state.taken = 0;
	double makespan_s = together(PAIR, work, placing, NULL);
	for (size_t i = 0; i < graph.tile_count; i++)
		to_host(&tiles[i]);
	return makespan_s;
}

static void compare(float *const *expected, const char *what)
{
	for (size_t i = 0; i < graph.tile_count; i++) {
		double difference = 0, sum = 0;
		for (size_t j = 0; j < tile_bytes / sizeof(float); j++) {
			difference += fabs((double)tiles[i].host[j] - (double)expected[i][j]);
			sum += fabs((double)expected[i][j]);
		}
		if (!(difference <= 1e-3 * sum)) /* NaN, too */
			fail("%s: %s: tile %zu differs by %g of its sum %g from the first "
			     "device's",
			     graph.name, what, i, difference, sum);
	}
}

/* ---- plans --------------------------------------------------------------------------------- */

static void plan_follow(const predictd_plan *plan, struct placing *placing)
{
	memset(placing, 0, sizeof *placing);
	for (size_t i = 0; i < plan->task_count; i++) {
		const predictd_planned *planned = &plan->tasks[i];
		if (planned->status != PREDICTD_OK || planned->device >= PAIR)
			fail("%s: task %zu has no place", graph.name, i);
		size_t *order = placing->order[planned->device];
		size_t at = placing->counts[planned->device]++;
		for (; at > 0 && plan->tasks[order[at - 1]].start_s > planned->start_s; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static void question_make(enum kind number, const predictd_program *program,
                          predictd_question *question, predictd_argument *arguments)
{
	const struct task_kind *kind = &task_kinds[number];
	size_t global[2], local[2];
	cl_uint dimensions;
	shape_of(kind->shape, &dimensions, global, local);
	for (size_t i = 0; i < kind->tiles; i++)
		arguments[i] = (predictd_argument){
		        .kind = PREDICTD_BUFFER,
		        .access = ((kind->read >> i & 1) != 0 ? PREDICTD_READ : 0u) |
		                  ((kind->written >> i & 1) != 0 ? PREDICTD_WRITE : 0u),
		        .size_bytes = tile_bytes};
	*question = (predictd_question){.program = program,
	                                .kernel = kind->kernel,
	                                .dimensions = dimensions,
	                                .global = {global[0], global[1]},
	                                .local = {local[0], local[1]},
	                                .argument_count = kind->tiles,
	                                .arguments = arguments,
	                                .static_only = true};
}

/*
 * A device to plan for. One that shares the host's memory needs no copies, and may be a part of a
 * device, which predictd takes to be away.
 */
static void place_make(predictd_connection *connection, size_t i, bool is_predicted,
                       predictd_schedule_device *place)
{
	predictd_schedule_device found[PREDICTD_SCHEDULE_DEVICES_MAX];
	const char *key = devices[i].key;
	size_t count;
	memset(place, 0, sizeof *place);
	if (!is_in_place[i] && is_predicted) {
		if (predictd_schedule_devices(connection, &key, 1, found, &count) != PREDICTD_OK)
			fail("%s: %s", devices[i].name, predictd_error_text());
		*place = found[0];
	} else if (!is_in_place[i]) {
		place->upload_latency_s = copy_s[i][0];
		place->download_latency_s = copy_s[i][1];
	}
	place->memory_bytes = 0;
	(void)snprintf(place->key, sizeof place->key, "%s", key);
}

/*
 * A schedule of the graph. program: whose predictions count; NULL: measured times do. planned_s:
 * its makespan.
 */
static void plan(predictd_connection *connection, const predictd_program *program,
                 struct placing *placing, double *planned_s)
{
	static predictd_schedule_task wanted[GRAPH_TASKS_MAX];
	static predictd_schedule_buffer buffers[GRAPH_TILES_MAX];
	static size_t reads[GRAPH_TASKS_MAX][TASK_TILES_MAX],
	        writes[GRAPH_TASKS_MAX][TASK_TILES_MAX];
	predictd_question questions[KINDS];
	predictd_argument arguments[KINDS][TASK_TILES_MAX];
	predictd_schedule_device places[PAIR];
	double slowdowns[PAIR * PAIR] = {1, 1, 1, 1};
	predictd_schedule *schedule = NULL;
	predictd_plan made;
	predictd_schedule_options how = {
	        .size = sizeof how, .device_count = PAIR, .devices = places};
	if (options.slowdowns != NULL) {
		if (sscanf(options.slowdowns, "%lf,%lf", &slowdowns[1], &slowdowns[2]) != 2)
			fail("--slowdowns: want A,B, have %s", options.slowdowns);
		how.slowdowns = slowdowns;
	}
	for (size_t i = 0; i < PAIR; i++)
		place_make(connection, i, program != NULL, &places[i]);
	for (size_t i = 0; i < KINDS; i++)
		question_make((enum kind)i, program, &questions[i], arguments[i]);
	for (size_t i = 0; i < graph.tile_count; i++)
		buffers[i] = (predictd_schedule_buffer){tile_bytes, true, 0};
	for (size_t i = 0; i < graph.task_count; i++) {
		const struct task *task = &graph.tasks[i];
		const struct task_kind *kind = &task_kinds[task->kind];
		wanted[i] = (predictd_schedule_task){
		        .name = kind->kernel, .reads = reads[i], .writes = writes[i]};
		wanted[i].question = program != NULL ? &questions[task->kind] : NULL;
		wanted[i].times_s = program != NULL ? NULL : kind_s[task->kind];
		for (size_t j = 0; j < kind->tiles; j++) {
			if ((kind->read >> j & 1) != 0)
				reads[i][wanted[i].read_count++] = task->tiles[j];
			if ((kind->written >> j & 1) != 0)
				writes[i][wanted[i].write_count++] = task->tiles[j];
		}
	}
	predictd_status status = predictd_schedule_new(&how, &schedule);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add_buffers(schedule, buffers, graph.tile_count);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add(schedule, connection, wanted, graph.task_count, 0);
	if (status != PREDICTD_OK)
		fail("%s: %s", graph.name, predictd_error_text());
	predictd_schedule_get(schedule, &made);
	plan_follow(&made, placing);
	*planned_s = made.makespan_s;
	predictd_schedule_free(schedule);
}

/* ---- setting up ---------------------------------------------------------------------------- */

static void tiles_open(void)
{
	cl_int status;
	const size_t side = (size_t)options.side;
	for (size_t i = 0; i < graph.tile_count; i++) {
		struct tile *tile = &tiles[i];
		(void)pthread_mutex_init(&tile->mutex, NULL);
		tile->made = aligned_alloc(4096, tile_bytes);
		tile->host = aligned_alloc(4096, tile_bytes);
		if (tile->made == NULL || tile->host == NULL)
			fail("no memory");
		for (size_t j = 0; j < side * side; j++) {
			bool is_heavy = graph.is_heavy[i] && j / side == j % side;
			tile->made[j] =
			        (float)((j * 7919 + i * 104729) % 1000) / 1000 / (float)side +
			        (is_heavy ? 8.0F : 0.0F);
		}
		for (size_t d = 0; d < PAIR; d++) {
			cl_mem_flags flags = CL_MEM_READ_WRITE;
			if (is_in_place[d])
				flags |= CL_MEM_USE_HOST_PTR;
			tile->buffers[d] =
			        clCreateBuffer(devices[d].context, flags, tile_bytes,
			                       is_in_place[d] ? tile->host : NULL, &status);
			must(status, "buffer");
		}
	}
}

static bool has_kind(size_t kind)
{
	for (size_t i = 0; i < graph.task_count; i++)
		if (graph.tasks[i].kind == kind)
			return true;
	return false;
}

static void devices_open(const char *text)
{
	char build[64];
	cl_int status;
	(void)snprintf(build, sizeof build, "-DSIDE=%ld", options.side);
	for (size_t d = 0; d < PAIR; d++) {
		device_open(&devices[d], device_names[d]);
		is_in_place[d] = devices[d].is_cpu;
		copies[d] = clCreateCommandQueue(devices[d].context, devices[d].id, 0, &status);
		must(status, "queue");
		for (size_t kind = 0; kind < KINDS; kind++)
			if (has_kind(kind))
				kernels[d][kind] = kernel_open(&devices[d], text, build,
				                               task_kinds[kind].kernel);
	}
}

/* The median of some runs of each kind on each device, and of copies. */
static void kinds_measure(void)
{
	double samples_s[2][KIND_RUNS];
	for (size_t d = 0; d < PAIR; d++) {
		for (size_t i = 0; i < graph.task_count; i++) {
			const struct task *task = &graph.tasks[i];
			if (kind_s[task->kind][d] != 0)
				continue;
			tiles_reset();
			task_run(task, d); /* compilers run at the first launch */
			for (size_t j = 0; j < KIND_RUNS; j++) {
				tiles_reset();
				for (size_t k = 0; k < task_kinds[task->kind].tiles; k++)
					fetch(&tiles[task->tiles[k]], d);
				double begin_s = now_s();
				task_run(task, d);
				samples_s[0][j] = now_s() - begin_s;
			}
			kind_s[task->kind][d] = median_of(samples_s[0], KIND_RUNS);
		}
		for (size_t j = 0; j < KIND_RUNS && !is_in_place[d]; j++) {
			tiles_reset();
			double begin_s = now_s();
			fetch(&tiles[0], d);
			samples_s[0][j] = now_s() - begin_s;
			tiles[0].is_on_host = false;
			begin_s = now_s();
			to_host(&tiles[0]);
			samples_s[1][j] = now_s() - begin_s;
		}
		for (size_t way = 0; way < 2 && !is_in_place[d]; way++)
			copy_s[d][way] = median_of(samples_s[way], KIND_RUNS);
	}
}

/* Of the work, by measured times on the first device, what that one did in the last run. */
static double share_of_first(void)
{
	double first = 0, all = 0;
	for (size_t i = 0; i < graph.task_count; i++) {
		double time_s = kind_s[graph.tasks[i].kind][0];
		all += time_s;
		first += state.ran_on[i] == 0 ? time_s : 0;
	}
	return first / all;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void ways_run(struct placing *placings, const double *planned_s)
{
	static float *expected[GRAPH_TILES_MAX];
	double samples_s[WAYS][RUNS_MAX], shares[WAYS][RUNS_MAX];
	size_t counts[WAYS] = {0};
	for (long round = 0; round < options.runs; round++)
		for (size_t turn = 0; turn < WAYS; turn++) {
			enum way way = (enum way)(round == 0 ? WAYS - 1 - turn : turn);
			if (way == ALONE && round > 0)
				continue;
			samples_s[way][counts[way]] = run(&placings[way]);
			shares[way][counts[way]++] = share_of_first();
			for (size_t i = 0; i < graph.tile_count && way == ALONE; i++) {
				expected[i] = malloc(tile_bytes);
				if (expected[i] == NULL)
					fail("no memory");
				memcpy(expected[i], tiles[i].host, tile_bytes);
			}
			compare(expected, way_names[way]);
		}
	for (size_t way = 0; way < WAYS; way++)
		(void)printf("%s,%zu,%s,%zu,%.6g,%.6g,%.3f\n", graph.name, graph.task_count,
		             way_names[way], counts[way], median_of(samples_s[way], counts[way]),
		             planned_s[way], median_of(shares[way], counts[way]));
}

static void graph_run(const void *context)
{
	static struct placing placings[WAYS];
	char path[512], build[64];
	double planned_s[WAYS] = {0};
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	predictd_source *source = NULL;
	(void)context;
	(void)snprintf(path, sizeof path, "%s/tiles.cl", options.folder);
	(void)snprintf(build, sizeof build, "-DSIDE=%ld", options.side);
	if (predictd_source_load(path, build, &source) != PREDICTD_OK ||
	    predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_register(connection, source, &program) != PREDICTD_OK)
		fail("%s", predictd_error_text());
	devices_open(source->text);
	tiles_open();
	needs_find();
	plan(connection, program, &placings[PREDICTED], &planned_s[PREDICTED]);
	kinds_measure();
	plan(connection, NULL, &placings[MEASURED], &planned_s[MEASURED]);
	placings[EAGER].is_eager = true;
	for (size_t i = 0; i < graph.task_count; i++)
		placings[ALONE].order[0][placings[ALONE].counts[0]++] = i;
	ways_run(placings, planned_s);
	predictd_program_free(program);
	predictd_close(connection);
	predictd_source_free(source);
}

static int usage(void)
{
	(void)fprintf(stderr, "usage: split-graphs [--folder FOLDER] [--side N] [--runs N] [--only "
	                      "TEXT] [--limit S] [--slowdowns A,B] DEVICE DEVICE\n");
	return 2;
}

int main(int argc, char **argv)
{
	int i = 1, failed = 0, done = 0;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		bool is_right = value != NULL;
		if (strcmp(argv[i], "--folder") == 0)
			options.folder = value;
		else if (strcmp(argv[i], "--only") == 0)
			options.only = value;
		else if (strcmp(argv[i], "--slowdowns") == 0)
			options.slowdowns = value;
		else if (strcmp(argv[i], "--side") == 0)
			is_right =
			        number_take(value, 2048, &options.side) && options.side % 64 == 0;
		else if (strcmp(argv[i], "--runs") == 0)
			is_right = number_take(value, RUNS_MAX, &options.runs);
		else if (strcmp(argv[i], "--limit") == 0)
			is_right = number_take(value, 3600, &options.limit_s);
		else
			is_right = false;
		if (!is_right)
			return usage();
	}
	if (argc - i != PAIR)
		return usage();
	device_names = argv + i;
	tile_bytes = sizeof(float) * (size_t)options.side * (size_t)options.side;
	(void)printf("graph,tasks,way,runs,makespan_s,planned_s,share\n");
	for (size_t number = 0; number < GRAPHS; number++) {
		graph_make(&graph, number);
		if (options.only != NULL && strstr(graph.name, options.only) == NULL)
			continue;
		done++;
		failed += !apart(graph_run, NULL, graph.name, options.limit_s);
	}
	(void)fprintf(stderr, "split: %d graphs, %d failed\n", done, failed);
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
