/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep [OPTION]... LAUNCHES DEVICE DEVICE    launches split over two devices, at every share
 *
 * Each launch is split as predictd_split says before anything has run, as Qilin does after a
 * training run (Luk, Hong, Kim, MICRO 2009), and at shares in even steps. Each point is the median
 * of some runs, in rounds over all points. A line of CSV a point is written as soon as the launch
 * is done. What either device computes is compared, bit for bit, with what it computes alone.
 *
 * Without --transfers, data are where they are needed: CPU devices share the host's memory, others
 * have copies. With it, each device is sent what its part reads, and sends back what it writes.
 *
 *   --folder FOLDER     of the kernels (.)
 *   --transfers
 *   --steps N           40: of the sweep
 *   --runs N            5: of each point
 *   --limit SECONDS     30: for a launch; one that takes longer is given up
 *   --slowdowns A,B     by how much the first device slows down beside the second, and vice versa
 *   --probe             only compares, with junk in place of what a part is said not to read, and
 *                       prints what the first device takes for the whole
 *
 * Each launch has a process of its own, so that one that fails does not end the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/init.h"
#include "tests/split/launches.h"

enum { PAIR = 2, STEPS_MAX = 400, POINTS_MAX = STEPS_MAX + 3, RUNS_MAX = 100, PAGE = 4096 };

static struct options {
	const char *folder, *slowdowns;
	long steps, runs, limit_s;
	bool has_transfers, is_probe;
} options = {.folder = ".", .steps = 40, .runs = 5, .limit_s = 30};

/* A launch on two devices. Part 0 is device `first`'s and begins at 0. */
struct setup {
	const struct launch *launch;
	struct device devices[PAIR];
	cl_kernel kernels[PAIR];
	cl_mem buffers[PAIR][ARGUMENTS_MAX];
	bool is_in_place[PAIR];             /* buffers are the host's memory */
	unsigned char *made[ARGUMENTS_MAX]; /* what buffers hold at first */
	unsigned char *work[ARGUMENTS_MAX]; /* the host's memory, and where results come */
	size_t first;
	uint64_t granule, items;         /* work-items of the dimension */
	uint64_t begin[PAIR], end[PAIR]; /* of the parts */
};

static size_t bytes_at(const struct setup *setup, size_t argument, uint64_t item)
{
	return (size_t)(setup->launch->arguments[argument].size_bytes / setup->items * item);
}

/* Bytes [*begin, *end) of a buffer that device i has to do with. */
static void part_of(const struct setup *setup, size_t i, size_t argument, size_t *begin,
                    size_t *end)
{
	bool is_split = setup->launch->is_split[argument];
	*begin = is_split ? bytes_at(setup, argument, setup->begin[i]) : 0;
	*end = is_split ? bytes_at(setup, argument, setup->end[i])
	                : setup->launch->arguments[argument].size_bytes;
}

static bool is_buffer(const struct setup *setup, size_t argument)
{
	return setup->launch->arguments[argument].kind == PREDICTD_BUFFER;
}

static void share_set(struct setup *setup, uint64_t items_of_device_0)
{
	uint64_t items[PAIR] = {items_of_device_0, setup->items - items_of_device_0};
	size_t second = 1 - setup->first;
	setup->begin[setup->first] = 0;
	setup->end[setup->first] = setup->begin[second] = items[setup->first];
	setup->end[second] = setup->items;
}

/* ---- setting up ---------------------------------------------------------------------------- */

static void *room(size_t bytes)
{
	void *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
	if (memory == NULL)
		fail("no memory for %zu bytes", bytes);
	return memory;
}

static void argument_set(struct setup *setup, size_t i)
{
	const predictd_argument *argument = &setup->launch->arguments[i];
	struct init init;
	char problem[INIT_PROBLEM_MAX];
	cl_int status;
	if (argument->kind == PREDICTD_BUFFER) {
		if (!init_open(argument->init, &init, problem))
			fail("%s: %s", setup->launch->id, problem);
		setup->made[i] = room(argument->size_bytes);
		setup->work[i] = room(argument->size_bytes);
		init_fill(&init, i, 0, setup->made[i], argument->size_bytes);
		memcpy(setup->work[i], setup->made[i], argument->size_bytes);
		init_close(&init);
	}
	for (size_t d = 0; d < PAIR; d++) {
		if (argument->kind == PREDICTD_BUFFER) {
			cl_mem_flags flags =
			        CL_MEM_READ_WRITE |
			        (setup->is_in_place[d] ? CL_MEM_USE_HOST_PTR : (cl_mem_flags)0);
			setup->buffers[d][i] = clCreateBuffer(
			        setup->devices[d].context, flags, argument->size_bytes,
			        setup->is_in_place[d] ? setup->work[i] : NULL, &status);
			must(status, "buffer");
			status = clSetKernelArg(setup->kernels[d], (cl_uint)i, sizeof(cl_mem),
			                        &setup->buffers[d][i]);
		} else if (argument->kind == PREDICTD_LOCAL) {
			status = clSetKernelArg(setup->kernels[d], (cl_uint)i, argument->size_bytes,
			                        NULL);
		} else {
			status = clSetKernelArg(setup->kernels[d], (cl_uint)i,
			                        setup->launch->scalar_sizes[i],
			                        setup->launch->scalars[i].bytes);
		}
		must(status, "argument");
	}
}

static void setup_open(struct setup *setup, const struct launch *launch, const char *text,
                       char *const *devices)
{
	memset(setup, 0, sizeof *setup);
	setup->launch = launch;
	setup->items = launch->global[launch->dimension];
	setup->granule = launch->local[launch->dimension];
	for (size_t i = 0; i < launch->argument_count; i++)
		if (launch->is_split[i] && launch->arguments[i].size_bytes % setup->items != 0)
			fail("%s: argument %zu: want a multiple of %llu bytes", launch->id, i,
			     (unsigned long long)setup->items);
	for (size_t d = 0; d < PAIR; d++) {
		device_open(&setup->devices[d], devices[d]);
		setup->kernels[d] =
		        kernel_open(&setup->devices[d], text, launch->options, launch->kernel);
		setup->is_in_place[d] =
		        setup->devices[d].is_cpu && !options.has_transfers && !options.is_probe;
	}
	for (size_t i = 0; i < launch->argument_count; i++)
		argument_set(setup, i);
}

/* ---- running ------------------------------------------------------------------------------- */

static void upload(struct setup *setup, size_t d, size_t argument, size_t begin, size_t end,
                   const unsigned char *from)
{
	if (end > begin)
		must(clEnqueueWriteBuffer(setup->devices[d].queue, setup->buffers[d][argument],
		                          CL_FALSE, begin, end - begin, from + begin, 0, NULL,
		                          NULL),
		     "write");
}

/* Untimed: all that a device holds is as it was at first; junk: but for what it is to have. */
static void restore(struct setup *setup, size_t d, bool is_junk, bool is_first)
{
	for (size_t i = 0; i < setup->launch->argument_count; i++) {
		const predictd_argument *argument = &setup->launch->arguments[i];
		size_t begin, end;
		if (!is_buffer(setup, i) ||
		    (!is_first && argument->access != PREDICTD_READ_WRITE && !is_junk))
			continue;
		part_of(setup, d, i, &begin, &end);
		if (setup->is_in_place[d]) {
			memcpy(setup->work[i] + begin, setup->made[i] + begin, end - begin);
		} else if (is_junk && setup->launch->is_split[i]) {
			unsigned char *junk = room(argument->size_bytes);
			memset(junk, 0xA5, argument->size_bytes);
			memcpy(junk + begin, setup->made[i] + begin, end - begin);
			upload(setup, d, i, 0, argument->size_bytes, junk);
			must(clFinish(setup->devices[d].queue), "finish");
			free(junk);
		} else {
			upload(setup, d, i, 0, argument->size_bytes, setup->made[i]);
		}
	}
	must(clFinish(setup->devices[d].queue), "finish");
}

static void download(struct setup *setup, size_t d)
{
	for (size_t i = 0; i < setup->launch->argument_count; i++) {
		size_t begin, end;
		if (!is_buffer(setup, i) ||
		    (setup->launch->arguments[i].access & PREDICTD_WRITE) == 0)
			continue;
		part_of(setup, d, i, &begin, &end);
		if (end > begin && !setup->is_in_place[d])
			must(clEnqueueReadBuffer(setup->devices[d].queue, setup->buffers[d][i],
			                         CL_FALSE, begin, end - begin,
			                         setup->work[i] + begin, 0, NULL, NULL),
			     "read");
	}
	must(clFinish(setup->devices[d].queue), "finish");
}

/* The part of device d, whose data are where they are needed. */
static void part_run(struct setup *setup, size_t d)
{
	const struct launch *launch = setup->launch;
	size_t offset[3] = {0}, global[3];
	memcpy(global, launch->global, sizeof global);
	offset[launch->dimension] = setup->begin[d];
	global[launch->dimension] = setup->end[d] - setup->begin[d];
	must(clEnqueueNDRangeKernel(setup->devices[d].queue, setup->kernels[d], launch->dimensions,
	                            offset, global, launch->local, 0, NULL, NULL),
	     "launch");
}

/* A device's thread: what is timed. */
static void work(void *context, size_t d)
{
	struct setup *setup = context;
	if (setup->end[d] == setup->begin[d])
		return;
	for (size_t i = 0; options.has_transfers && i < setup->launch->argument_count; i++) {
		size_t begin, end;
		if (!is_buffer(setup, i) ||
		    (setup->launch->arguments[i].access & PREDICTD_READ) == 0)
			continue;
		part_of(setup, d, i, &begin, &end);
		upload(setup, d, i, begin, end, setup->made[i]);
	}
	part_run(setup, d);
	if (options.has_transfers)
		download(setup, d);
	else
		must(clFinish(setup->devices[d].queue), "finish");
}

static double run(struct setup *setup, uint64_t items_of_device_0, double ends_s[PAIR])
{
	share_set(setup, items_of_device_0);
	for (size_t d = 0; d < PAIR && !options.has_transfers; d++)
		restore(setup, d, false, false);
	return together(PAIR, work, setup, ends_s);
}

/* ---- checking ------------------------------------------------------------------------------ */

/*
 * What the device computes of the whole launch into expected[], of its part alone: parts of two
 * devices are compared with what each of them computes, as no two round alike.
 */
static void expect(struct setup *setup, size_t d, uint64_t items_of_device_0,
                   unsigned char **expected)
{
	share_set(setup, d == 0 ? setup->items : 0);
	restore(setup, d, false, true);
	part_run(setup, d);
	download(setup, d);
	share_set(setup, items_of_device_0);
	for (size_t i = 0; i < setup->launch->argument_count; i++) {
		size_t begin, end;
		if (expected[i] == NULL)
			continue;
		part_of(setup, d, i, &begin, &end);
		memcpy(expected[i] + begin, setup->work[i] + begin, end - begin);
	}
}

/* The split's result is that of the devices alone, or the process ends. */
static void check(struct setup *setup, uint64_t items_of_device_0)
{
	unsigned char *expected[ARGUMENTS_MAX] = {NULL};
	const struct launch *launch = setup->launch;
	bool is_compared = false;
	for (size_t i = 0; i < launch->argument_count; i++) {
		if (!is_buffer(setup, i) || (launch->arguments[i].access & PREDICTD_WRITE) == 0)
			continue;
		if (!launch->is_split[i])
			fail("%s: argument %zu is written and not split", launch->id, i);
		expected[i] = room(launch->arguments[i].size_bytes);
		is_compared = true;
	}
	if (!is_compared)
		fail("%s: writes nothing", launch->id);
	for (size_t d = 0; d < PAIR; d++)
		expect(setup, d, items_of_device_0, expected);
	for (size_t i = 0; i < launch->argument_count; i++)
		if (expected[i] != NULL)
			memset(setup->work[i], 0x5A, launch->arguments[i].size_bytes);
	for (size_t d = 0; d < PAIR; d++)
		restore(setup, d, options.is_probe, true);
	(void)together(PAIR, work, setup, NULL);
	if (!options.has_transfers)
		for (size_t d = 0; d < PAIR; d++)
			download(setup, d);
	for (size_t i = 0; i < launch->argument_count; i++) {
		if (expected[i] != NULL &&
		    memcmp(expected[i], setup->work[i], launch->arguments[i].size_bytes) != 0)
			fail("%s: argument %zu: the split's result differs from the device's alone",
			     launch->id, i);
		free(expected[i]);
	}
}

/* ---- the shares ---------------------------------------------------------------------------- */

struct point {
	const char *kind;
	uint64_t items; /* of device 0 */
	double predicted_s;
	double samples_s[RUNS_MAX], ends_s[PAIR][RUNS_MAX];
	size_t count;
};

static uint64_t to_granules(const struct setup *setup, double items)
{
	double granules = items / (double)setup->granule;
	double all = (double)setup->items / (double)setup->granule;
	granules = granules < 0 ? 0 : granules > all ? all : granules;
	return (uint64_t)(granules + 0.5) * setup->granule;
}

/* Where results are checked: an odd number of granules, as pairs of them may be one to the kernel.
 */
static uint64_t cut_of(const struct setup *setup)
{
	uint64_t granules = setup->items / setup->granule;
	return (granules * 2 / 5 | 1) * setup->granule;
}

/* As predictd says it, and which device's part comes first. */
static void predict(struct setup *setup, const predictd_source *source, struct point *point)
{
	const struct launch *launch = setup->launch;
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	predictd_question question;
	predictd_split_buffer buffers[ARGUMENTS_MAX];
	predictd_share shares[PAIR];
	predictd_split_answer answer;
	double slowdowns[PAIR * PAIR] = {1, 1, 1, 1};
	const char *keys[PAIR] = {setup->devices[0].key, setup->devices[1].key};
	predictd_splitting splitting = {.question = &question,
	                                .devices = keys,
	                                .device_count = PAIR,
	                                .dimension = launch->dimension,
	                                .buffers = buffers};
	if (options.slowdowns != NULL) {
		if (sscanf(options.slowdowns, "%lf,%lf", &slowdowns[1], &slowdowns[2]) != 2)
			fail("--slowdowns: want A,B, have %s", options.slowdowns);
		splitting.slowdowns = slowdowns;
	}
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_register(connection, source, &program) != PREDICTD_OK)
		fail("%s: %s", launch->id, predictd_error_text());
	launch_question(launch, program, &question);
	question.with_transfers = options.has_transfers;
	predictd_status status = predictd_split(connection, &splitting, shares, &answer);
	if (status == PREDICTD_UNSUPPORTED) {
		/* what the model does not see, but the launch says */
		(void)fprintf(stderr, "%s: by what is said of it: %s\n", launch->id,
		              predictd_error_text());
		for (size_t i = 0; i < launch->argument_count; i++)
			if (launch->is_split[i])
				buffers[splitting.buffer_count++] =
				        (predictd_split_buffer){.argument = i};
		status = predictd_split(connection, &splitting, shares, &answer);
	}
	if (status != PREDICTD_OK)
		fail("%s: %s", launch->id, predictd_error_text());
	*point = (struct point){
	        .kind = "split", .items = shares[0].items, .predicted_s = answer.time_s};
	setup->first = answer.best;
	predictd_program_free(program);
	predictd_close(connection);
}

/*
 * Qilin's way: a device's time is the line through two runs of it alone, of 1/128 and 1/64 of the
 * work; both devices end together.
 */
static void train(struct setup *setup, struct point *point)
{
	double slope[PAIR], floor[PAIR], all = (double)setup->items;
	for (size_t d = 0; d < PAIR; d++) {
		uint64_t sizes[2] = {to_granules(setup, all / 128), to_granules(setup, all / 64)};
		double times_s[2];
		sizes[0] = sizes[0] > 0 ? sizes[0] : setup->granule;
		sizes[1] = sizes[1] > sizes[0] ? sizes[1] : sizes[0] + setup->granule;
		for (size_t i = 0; i < 2; i++) {
			double samples_s[RUNS_MAX];
			for (long j = 0; j < options.runs; j++) {
				share_set(setup, d == 0 ? sizes[i] : setup->items - sizes[i]);
				/* nothing for the other one */
				setup->begin[1 - d] = setup->end[1 - d];
				for (size_t k = 0; k < PAIR && !options.has_transfers; k++)
					restore(setup, k, false, false);
				samples_s[j] = together(PAIR, work, setup, NULL);
			}
			times_s[i] = median_of(samples_s, (size_t)options.runs);
		}
		slope[d] = (times_s[1] - times_s[0]) / (double)(sizes[1] - sizes[0]);
		slope[d] = slope[d] > 0 ? slope[d] : times_s[1] / (double)sizes[1];
		floor[d] = times_s[0] - slope[d] * (double)sizes[0];
		floor[d] = floor[d] > 0 ? floor[d] : 0;
	}
	double items = (slope[1] * all + floor[1] - floor[0]) / (slope[0] + slope[1]);
	*point = (struct point){.kind = "qilin", .items = to_granules(setup, items)};
	double first_s = floor[0] + slope[0] * (double)point->items;
	double second_s = floor[1] + slope[1] * (double)(setup->items - point->items);
	point->predicted_s = point->items == 0              ? second_s
	                     : point->items == setup->items ? first_s
	                     : first_s > second_s           ? first_s
	                                                    : second_s;
}

/* All points in turn, round by round; one that is far from the best is not run again. */
static void measure(struct setup *setup, struct point *points, size_t count)
{
	double best_s = 0;
	for (long round = 0; round < options.runs; round++)
		for (size_t i = 0; i < count; i++) {
			struct point *point = &points[round % 2 == 0 ? i : count - 1 - i];
			double ends_s[PAIR];
			/* twice, as a single one may have been disturbed */
			if (round > 1 && point->samples_s[0] > 3 * best_s &&
			    point->samples_s[1] > 3 * best_s)
				continue;
			double took_s = run(setup, point->items, ends_s);
			best_s = best_s == 0 || took_s < best_s ? took_s : best_s;
			for (size_t d = 0; d < PAIR; d++)
				point->ends_s[d][point->count] = ends_s[d];
			point->samples_s[point->count++] = took_s;
		}
}

static char *const *device_names;

static void launch_run(const void *context)
{
	const struct launch *launch = context;
	static struct setup setup;
	static struct point points[POINTS_MAX];
	predictd_source *source = NULL;
	char path[2 * LAUNCH_TEXT], text[1 << 16];
	size_t count = 2;
	(void)snprintf(path, sizeof path, "%s/%s", options.folder, launch->file);
	if (predictd_source_load(path, launch->options, &source) != PREDICTD_OK)
		fail("%s: %s", path, predictd_error_text());
	(void)snprintf(text, sizeof text, "%.*s", (int)source->size, source->text);
	setup_open(&setup, launch, text, device_names);
	if (options.is_probe) {
		for (setup.first = 0; setup.first < PAIR; setup.first++)
			for (unsigned more = 0; more < 3; more++)
				check(&setup, cut_of(&setup) + more * setup.granule);
		setup.first = 0;
		double samples_s[3];
		for (size_t j = 0; j < 3; j++)
			samples_s[j] = run(&setup, setup.items, NULL);
		(void)printf("whole: %.3g s\n", median_of(samples_s, 3));
		return;
	}
	predict(&setup, source, &points[0]);
	check(&setup, cut_of(&setup));
	train(&setup, &points[1]);
	for (long step = 0; step <= options.steps; step++) {
		double items = (double)setup.items * (double)step / (double)options.steps;
		uint64_t whole = to_granules(&setup, items);
		/* granules may be coarser than steps */
		if (step == 0 || whole != points[count - 1].items)
			points[count++] = (struct point){.kind = "sweep", .items = whole};
	}
	measure(&setup, points, count);
	for (size_t i = 0; i < count; i++) {
		struct point *point = &points[i];
		double time_s = median_of(point->samples_s, point->count);
		(void)printf("%s,%s,%llu,%llu,%zu,%.6g,%.6g,%.6g,%.6g\n", launch->id, point->kind,
		             (unsigned long long)point->items, (unsigned long long)setup.items,
		             point->count, time_s, point->predicted_s,
		             median_of(point->ends_s[0], point->count),
		             median_of(point->ends_s[1], point->count));
	}
	predictd_source_free(source);
}

static int usage(void)
{
	(void)fprintf(stderr,
	              "usage: split-sweep [--folder FOLDER] [--transfers] [--steps N] [--runs N] "
	              "[--limit S] [--slowdowns A,B] [--probe] LAUNCHES DEVICE DEVICE\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct launch launch;
	int i = 1, failed = 0, done = 0;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		bool is_right = true;
		if (strcmp(argv[i], "--transfers") == 0) {
			options.has_transfers = true;
			continue;
		}
		if (strcmp(argv[i], "--probe") == 0) {
			options.is_probe = true;
			continue;
		}
		if (strcmp(argv[i], "--folder") == 0)
			is_right = (options.folder = value) != NULL;
		else if (strcmp(argv[i], "--slowdowns") == 0)
			is_right = (options.slowdowns = value) != NULL;
		else if (strcmp(argv[i], "--steps") == 0)
			is_right = number_take(value, STEPS_MAX, &options.steps);
		else if (strcmp(argv[i], "--runs") == 0)
			is_right = number_take(value, RUNS_MAX, &options.runs);
		else if (strcmp(argv[i], "--limit") == 0)
			is_right = number_take(value, 3600, &options.limit_s);
		else
			is_right = false;
		if (!is_right)
			return usage();
		i++;
	}
	if (argc - i != 3)
		return usage();
	FILE *file = fopen(argv[i], "r");
	if (file == NULL)
		fail("%s: %s", argv[i], strerror(errno));
	if (!options.is_probe)
		(void)printf("launch,kind,items,of,runs,time_s,predicted_s,first_s,second_s\n");
	device_names = argv + i + 1;
	for (; launch_read(file, argv[i], &launch); done++)
		failed += !apart(launch_run, &launch, launch.id, options.limit_s);
	(void)fclose(file);
	(void)fprintf(stderr, "split: %d launches, %d failed\n", done, failed);
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
