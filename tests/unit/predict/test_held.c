/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that hang on data of which there are samples. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/predict.h"
#include "model/evaluate/held.h"
#include "model/evaluate/number.h"
#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"
#include "tests/unit/predict/sampled.h"

/* Within so much of what is wanted, whatever that is. */
#define assert_near(got, want, far)                                                                \
	do {                                                                                       \
		double near_ = (got), to_ = (want);                                                \
		if (!(fabs(near_ - to_) <= (far)))                                                 \
			fail_msg("%s: got %.9g, want %.9g", #got, near_, to_);                     \
	} while (0)

enum { ROWS = 1 << 17, ROW = 16, GROUP = 64 };

/* ---- rows of sparse matrices --------------------------------------------------------------- */

#define SPMV                                                                                       \
	"kernel void f(global const int *start, global const int *column,"                         \
	" global const float *value, global const float *x, global float *y) {"                    \
	" size_t i = get_global_id(0); float sum = 0;"                                             \
	" for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];"           \
	" y[i] = sum; }"

enum shape { UNIFORM, BANDED, POWER };

struct matrix {
	int32_t *start, *column;
	double by_warp; /* the mean over 32 rows each of the longest */
	uint32_t count;
};

static struct matrix matrix_new(enum shape shape)
{
	struct matrix m = {.start = calloc(ROWS + 1, sizeof(int32_t))};
	uint64_t sequence = 1000 + shape;

	assert_non_null(m.start);
	for (unsigned i = 0; i < ROWS; i++) {
		uint64_t length = ROW;

		/* P(length > n) = (4 / n)^1.5, up to 8192 */
		if (shape == POWER)
			length = (uint64_t)fmin(
			        8192, 4 * pow((double)(any_below(&sequence, 1 << 20) + 1) * 0x1p-20,
			                      -1 / 1.5));
		m.start[i + 1] = m.start[i] + (int32_t)length;
	}
	m.count = (uint32_t)m.start[ROWS];
	m.column = calloc(m.count, sizeof(int32_t));
	assert_non_null(m.column);
	for (unsigned i = 0; i < ROWS; i++)
		for (int32_t k = m.start[i]; k < m.start[i + 1]; k++)
			m.column[k] = shape == BANDED
			                      ? (int32_t)((i + (unsigned)(k - m.start[i])) % ROWS)
			                      : (int32_t)any_below(&sequence, ROWS);
	for (unsigned i = 0; i < ROWS; i += 32) {
		int32_t most = 0;

		for (unsigned lane = i; lane < i + 32; lane++)
			if (m.start[lane + 1] - m.start[lane] > most)
				most = m.start[lane + 1] - m.start[lane];
		m.by_warp += most * 32.0 / (double)ROWS;
	}
	return m;
}

static void matrix_free(struct matrix *m)
{
	free(m->start);
	free(m->column);
}

static struct launch spmv_launch(const struct matrix *m, bool is_sampled)
{
	struct launch launch = launch_1d(ROWS, GROUP);

	launch_data(&launch, m->start, (ROWS + 1) * sizeof(int32_t), SCALAR_INT, is_sampled);
	launch_data(&launch, m->column, m->count * sizeof(int32_t), SCALAR_INT, is_sampled);
	launch_buffer(&launch, m->count * sizeof(float));
	launch_buffer(&launch, ROWS * sizeof(float));
	launch_buffer(&launch, ROWS * sizeof(float));
	return launch;
}

/* What a loop of the kernel's first does, and how long it is predicted to take. */
struct told {
	double trips, by_warp, time_s, width;
	bool is_dependent;
};

static struct told tell(const struct ir_kernel *kernel, const struct device *device,
                        struct launch *launch)
{
	struct evaluation e = evaluated(kernel, device, launch);
	struct prediction p = answer(kernel, device, launch);
	struct told told = {.time_s = p.kernel_time_s,
	                    .width = p.high_s / p.low_s,
	                    .is_dependent = p.is_data_dependent};

	if (kernel->summary->loop_count > 0) {
		uint32_t loop = kernel->summary->loops[0].statement;

		told.trips = e.loops[0].trips;
		told.by_warp = e.blocks[kernel->statements[loop].body].warp_executions;
	}
	evaluation_deinit(&e);
	launch_end(launch);
	return told;
}

static struct told spmv(const struct ir_kernel *kernel, const struct device *device,
                        const struct matrix *m, bool is_sampled)
{
	struct launch launch = spmv_launch(m, is_sampled);

	return tell(kernel, device, &launch);
}

static void rows_have_their_lengths(void **state)
{
	struct ir_kernel *kernel = analyse(SPMV, "");
	struct matrix m[3];

	(void)state;
	for (unsigned shape = 0; shape < 3; shape++)
		m[shape] = matrix_new((enum shape)shape);
	for (unsigned d = 0; d < 2; d++) {
		struct device *device = d ? device_cpu() : device_gpu();
		struct told sampled[3], without[3];

		for (unsigned shape = 0; shape < 3; shape++) {
			sampled[shape] = spmv(kernel, device, &m[shape], true);
			without[shape] = spmv(kernel, device, &m[shape], false);
			assert_true(sampled[shape].width < without[shape].width);
			assert_false(sampled[shape].is_dependent);
			assert_true(without[shape].is_dependent);
		}
		assert_close(sampled[UNIFORM].trips, ROW, 1e-6);
		assert_close(sampled[BANDED].trips, ROW, 1e-6);
		assert_close(sampled[POWER].trips, m[POWER].count / (double)ROWS, 0.25);
		/* by their mean alone the first two are the same */
		assert_close(without[BANDED].time_s, without[UNIFORM].time_s, 1e-9);
		assert_true(sampled[BANDED].time_s < 0.99 * sampled[UNIFORM].time_s);
		if (d == 1) {
			free(device);
			continue;
		}
		/* a warp goes along with the longest of its rows */
		assert_close(sampled[UNIFORM].by_warp, m[UNIFORM].by_warp, 1e-6);
		assert_close(sampled[POWER].by_warp, m[POWER].by_warp, 0.35);
		assert_true(without[POWER].by_warp < 0.2 * m[POWER].by_warp);
		assert_true(sampled[POWER].time_s > 1.2 * without[POWER].time_s);
		free(device);
	}
	for (unsigned shape = 0; shape < 3; shape++)
		matrix_free(&m[shape]);
	kernel_free(kernel);
}

/* ---- branches ------------------------------------------------------------------------------ */

enum { ITEMS = 1 << 20 };

#define CHOOSES                                                                                    \
	"kernel void f(global const int *key, global const float *x, global float *y) {"           \
	" size_t i = get_global_id(0); if (key[i] < 100) y[i] = sin(x[i]); }"

/* A branch on each element of a vector; bits of them shifted, too. */
#define CHOOSES_OF_VECTOR                                                                          \
	"kernel void f(global const int4 *key, global const float *x, global float *y) {"          \
	" size_t i = get_global_id(0); if (key[i].z < 100) y[i] = sin(x[i]); }"

/* A branch in a loop, on what is the same for all work-items. */
#define CHOOSES_IN_LOOP                                                                            \
	"kernel void f(global const int *key, global const float *x, global float *y) {"           \
	" size_t i = get_global_id(0); float s = 0;"                                               \
	" for (int k = 0; k < 100000; k++) if (key[k] < 100) s += sin(x[k]); y[i] = s; }"

/* Keys, of which such a share is below 100. */
static int32_t *keys_new(double share)
{
	int32_t *keys = calloc(ITEMS, sizeof(*keys));
	uint64_t sequence = 7;

	assert_non_null(keys);
	for (unsigned i = 0; i < ITEMS; i++)
		keys[i] = (int32_t)any_below(&sequence, 100) +
		          ((double)any_below(&sequence, 1000) < 1000 * share ? 0 : 100);
	return keys;
}

/* How often the first branch's side is executed, for each time that the branch is. */
static double taken(const char *source, const void *keys, enum scalar scalar, bool is_sampled,
                    const struct device *device)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS / 4, GROUP);
	struct evaluation e;
	double share = -1;

	launch_data(&launch, keys, ITEMS * sizeof(int32_t), scalar, is_sampled);
	launch_buffer(&launch, ITEMS * sizeof(float));
	launch_buffer(&launch, ITEMS * sizeof(float));
	e = evaluated(kernel, device, &launch);
	for (uint32_t i = 0; i < kernel->statement_count && share < 0; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_BRANCH)
			share = e.blocks[s->body].executions / e.blocks[s->block].executions;
	}
	evaluation_deinit(&e);
	launch_end(&launch);
	kernel_free(kernel);
	return share;
}

static void branches_have_their_shares(void **state)
{
	static const char *const sources[] = {CHOOSES, CHOOSES_OF_VECTOR, CHOOSES_IN_LOOP};
	static const double shares[] = {0.1, 0.5, 0.9};

	(void)state;
	for (unsigned d = 0; d < 2; d++) {
		struct device *device = d ? device_cpu() : device_gpu();

		for (unsigned i = 0; i < 3; i++) {
			int32_t *keys = keys_new(shares[i]);

			/* four errors of 128 draws, the fewest of these */
			for (unsigned k = 0; k < 3; k++)
				assert_near(taken(sources[k], keys, SCALAR_INT, true, device),
				            shares[i], 4 * sqrt(shares[i] * (1 - shares[i]) / 128));
			/* bytes of no known type, or of another one, are read all the same */
			assert_near(taken(CHOOSES, keys, SCALAR_VOID, true, device), shares[i],
			            0.1);
			assert_near(taken(CHOOSES, keys, SCALAR_UCHAR, true, device), shares[i],
			            0.1);
			free(keys);
		}
		free(device);
	}
}

#define STORES_BEFORE                                                                              \
	"kernel void f(global int *key, global const float *x, global float *y) {"                 \
	" size_t i = get_global_id(0); key[i] = (int)x[i]; barrier(CLK_GLOBAL_MEM_FENCE);"         \
	" if (key[i ^ 1] < 100) y[i] = sin(x[i]); }"

#define STORES_AROUND                                                                              \
	"kernel void f(global int *key, global const float *x, global float *y) {"                 \
	" size_t i = get_global_id(0); for (int k = 0; k < 8; k++) {"                              \
	" if (key[i ^ k] < 100) y[i] = sin(x[i]); key[i] = (int)x[i + k]; } }"

#define ADDS                                                                                       \
	"kernel void f(global int *key, global const float *x, global float *y) {"                 \
	" size_t i = get_global_id(0); if (key[i] < 100) y[i] = sin(x[i]);"                        \
	" atomic_inc(&key[i / 2]); }"

#define STORES_BEHIND                                                                              \
	"kernel void f(global int *key, global const float *x, global float *y) {"                 \
	" size_t i = get_global_id(0); if (key[i] < 100) y[i] = sin(x[i]); key[i] = 3; }"

/* Whether an answer says that a sample is of no use. */
static bool is_noted(const char *source, const int32_t *keys, const struct device *device)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS / 4, GROUP);
	struct prediction p;

	launch_data(&launch, keys, ITEMS * sizeof(int32_t), SCALAR_INT, true);
	launch_buffer(&launch, ITEMS * sizeof(float));
	launch_buffer(&launch, ITEMS * sizeof(float));
	p = answer(kernel, device, &launch);
	launch_end(&launch);
	kernel_free(kernel);
	return strstr(p.note, "key: stored to before it is read, so not as sampled") != NULL;
}

/* What a kernel has stored is not as it was sampled. */
static void what_is_written_before_is_unknown(void **state)
{
	/* before, around a loop, through an atomic; and behind: as with no store at all */
	static const char *const sources[] = {STORES_BEFORE, STORES_AROUND, ADDS, STORES_BEHIND};
	struct device *device = device_gpu();
	int32_t *keys = keys_new(0.9);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		double sampled = taken(sources[i], keys, SCALAR_INT, true, device);
		double without = taken(sources[i], keys, SCALAR_INT, false, device);

		if (i < 3)
			assert_close(sampled, without, 1e-9);
		else
			assert_near(sampled, 0.9, 0.1);
		assert_int_equal(is_noted(sources[i], keys, device), i < 3);
	}
	free(keys);
	free(device);
}

/* ---- indices ------------------------------------------------------------------------------- */

#define GATHERS                                                                                    \
	"kernel void f(global const int *index, global const float *x, global float *y) {"         \
	" size_t i = get_global_id(0); y[i] = x[index[i]]; }"

enum indices { ALL_EQUAL, CONSECUTIVE, BACKWARDS, FEW, ANYWHERE, NEAR, PATTERNS };

static int32_t *indices_new(enum indices pattern)
{
	int32_t *indices = calloc(ITEMS, sizeof(*indices));
	uint64_t sequence = 11;

	assert_non_null(indices);
	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t any = any_below(&sequence, ITEMS);

		indices[i] = (int32_t)(pattern == ALL_EQUAL     ? 12345
		                       : pattern == CONSECUTIVE ? i
		                       : pattern == BACKWARDS   ? ITEMS - 1 - i
		                       : pattern == FEW         ? any % 64 * 16384
		                       : pattern == NEAR        ? (i + any % 256) % ITEMS
		                                                : any);
	}
	return indices;
}

static void indices_tell_what_is_touched(void **state)
{
	struct ir_kernel *kernel = analyse(GATHERS, "");
	struct device *device = device_gpu();
	struct told told[PATTERNS], without;
	double segments[PATTERNS];

	(void)state;
	for (unsigned i = 0; i < PATTERNS; i++) {
		int32_t *indices = indices_new((enum indices)i);
		struct launch launch = launch_1d(ITEMS, GROUP);
		struct evaluation e;

		launch_data(&launch, indices, ITEMS * sizeof(int32_t), SCALAR_INT, true);
		launch_buffer(&launch, ITEMS * sizeof(float));
		launch_buffer(&launch, ITEMS * sizeof(float));
		e = evaluated(kernel, device, &launch);
		segments[i] = e.accesses[1].segments;
		evaluation_deinit(&e);
		told[i] = tell(kernel, device, &launch);
		launch = launch_1d(ITEMS, GROUP);
		for (unsigned k = 0; k < 3; k++)
			launch_data(&launch, indices, ITEMS * sizeof(int32_t), SCALAR_INT, false);
		without = tell(kernel, device, &launch);
		free(indices);
	}
	/* 32 lanes, segments of 32 bytes */
	assert_close(segments[ALL_EQUAL], 1, 1e-9);
	assert_close(segments[CONSECUTIVE], 4, 0.05);
	assert_close(segments[BACKWARDS], 4, 0.05);
	assert_close(segments[ANYWHERE], 32, 0.05);
	assert_true(segments[NEAR] > 15 && segments[NEAR] < 29);
	assert_close(told[ANYWHERE].time_s, without.time_s, 0.01);
	assert_true(told[CONSECUTIVE].time_s < 0.95 * told[ANYWHERE].time_s);
	assert_close(told[BACKWARDS].time_s, told[CONSECUTIVE].time_s, 0.01);
	assert_true(told[ALL_EQUAL].time_s <= told[CONSECUTIVE].time_s);
	/* few places, and neighbours of what was touched before, stay in caches */
	assert_true(told[FEW].time_s < 0.8 * told[ANYWHERE].time_s);
	assert_true(told[NEAR].time_s < 0.95 * told[ANYWHERE].time_s);
	kernel_free(kernel);
	free(device);
}

/* ---- sorted keys --------------------------------------------------------------------------- */

#define SEARCHES                                                                                   \
	"kernel void f(global const int *key, global const int *wanted, global int *found, int "   \
	"n) {"                                                                                     \
	" size_t i = get_global_id(0); int low = 0, high = n;"                                     \
	" while (low < high) { int middle = (low + high) / 2;"                                     \
	" if (key[middle] == wanted[i]) { low = middle; break; }"                                  \
	" if (key[middle] < wanted[i]) low = middle + 1; else high = middle; } found[i] = low; }"

static void searches_take_their_steps(void **state)
{
	struct ir_kernel *kernel = analyse(SEARCHES, "");
	struct device *device = device_gpu();
	int32_t *keys = calloc(ITEMS, sizeof(*keys)), *wanted = calloc(ITEMS, sizeof(*wanted));
	double steps[2];

	(void)state;
	assert_true(keys && wanted);
	for (unsigned i = 0; i < ITEMS; i++)
		keys[i] = (int32_t)(3 * i);
	/* what is in the middle is found at once; other numbers after all halvings */
	for (unsigned all = 0; all < 2; all++) {
		uint64_t sequence = 5;
		struct launch launch = launch_1d(ITEMS / 16, GROUP);
		struct evaluation e;

		for (unsigned i = 0; i < ITEMS; i++)
			wanted[i] = all ? (int32_t)(3 * any_below(&sequence, ITEMS) + 1)
			                : 3 * (ITEMS / 2);
		launch_data(&launch, keys, ITEMS * sizeof(int32_t), SCALAR_INT, true);
		launch_data(&launch, wanted, ITEMS * sizeof(int32_t), SCALAR_INT, true);
		launch_buffer(&launch, ITEMS * sizeof(int32_t));
		launch_integer(&launch, SCALAR_INT, ITEMS);
		e = evaluated(kernel, device, &launch);
		steps[all] = e.loops[0].trips;
		evaluation_deinit(&e);
		launch_end(&launch);
	}
	assert_close(steps[0], 1, 1e-9);
	assert_near(steps[1], log2(ITEMS), 1);
	free(keys);
	free(wanted);
	kernel_free(kernel);
	free(device);
}

#define LOOKS                                                                                      \
	"kernel void f(global const int *key, global int *found, int n) {"                         \
	" size_t i = get_global_id(0); int k = 0;"                                                 \
	" for (; k < n; k++) if (key[(i * 977 + k) % n] == 7) break; found[i] = k; }"

/* A search too long to follow takes as long as those say that have ended. */
static void long_searches_end_as_others_do(void **state)
{
	struct ir_kernel *kernel = analyse(LOOKS, "");
	struct device *device = device_gpu();
	int32_t *keys = calloc(ITEMS, sizeof(*keys));
	static const uint64_t values[] = {64, 2000};

	(void)state;
	assert_non_null(keys);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t sequence = 3;
		struct launch launch = launch_1d(ITEMS / 16, GROUP);
		struct evaluation e;

		for (unsigned k = 0; k < ITEMS; k++)
			keys[k] = (int32_t)any_below(&sequence, values[i]);
		launch_data(&launch, keys, ITEMS * sizeof(int32_t), SCALAR_INT, true);
		launch_buffer(&launch, ITEMS * sizeof(int32_t));
		launch_integer(&launch, SCALAR_INT, ITEMS);
		e = evaluated(kernel, device, &launch);
		assert_close(log(e.loops[0].trips), log((double)values[i]), 0.1);
		assert_false(e.is_capped);
		evaluation_deinit(&e);
		launch_end(&launch);
	}
	free(keys);
	kernel_free(kernel);
	free(device);
}

#define LOOKS_BELOW                                                                                \
	"kernel void f(global const int *key, global const int *limit, global int *found, int n) " \
	"{ size_t i = get_global_id(0); int k = 0;"                                                \
	" for (; k < n; k++) if (key[(i * 977 + k) % n] < limit[i]) break; found[i] = k; }"

/* One in eight searches 500 steps, the others 4: who is left after those goes on for longer. */
static void who_is_left_is_of_another_kind(void **state)
{
	enum { VALUES = 4000, OFTEN = 1000, SELDOM = 8, IN = 8 };
	struct ir_kernel *kernel = analyse(LOOKS_BELOW, "");
	struct device *device = device_gpu();
	int32_t *keys = calloc(ITEMS, sizeof(*keys)), *limits = calloc(ITEMS, sizeof(*limits));
	struct launch launch = launch_1d(ITEMS / 16, GROUP);
	const double seldom = (int)VALUES / (int)SELDOM, often = (int)VALUES / (int)OFTEN;
	const double mean = (seldom + often * ((int)IN - 1)) / (int)IN;
	uint64_t sequence = 3;
	struct evaluation e;

	(void)state;
	assert_true(keys && limits);
	for (unsigned i = 0; i < ITEMS; i++) {
		keys[i] = (int32_t)any_below(&sequence, VALUES);
		limits[i] = any_below(&sequence, IN) == 0 ? SELDOM : OFTEN;
	}
	launch_data(&launch, keys, ITEMS * sizeof(int32_t), SCALAR_INT, true);
	launch_data(&launch, limits, ITEMS * sizeof(int32_t), SCALAR_INT, true);
	launch_buffer(&launch, ITEMS * sizeof(int32_t));
	launch_integer(&launch, SCALAR_INT, ITEMS);
	e = evaluated(kernel, device, &launch);
	assert_near(log(e.loops[0].trips), log(mean), 0.4);
	/* and the last of all goes on for longer than they do in the mean */
	assert_true(e.loops[0].most > seldom);
	evaluation_deinit(&e);
	launch_end(&launch);
	free(keys);
	free(limits);
	kernel_free(kernel);
	free(device);
}

#define FINDS                                                                                      \
	"kernel void f(global const int *key, global int *found, int n) {"                         \
	" size_t i = get_global_id(0); int k = 0;"                                                 \
	" while (k < 4 && key[i + k] < 100) k++; found[i] = k; }"

/* How often a core foresees where loops end: most end at once, a part of them, or all alike. */
static void ends_are_as_usual_as_they_are(void **state)
{
	struct ir_kernel *kernel = analyse(FINDS, ""), *rows = analyse(SPMV, "");
	struct device *device = device_cpu();
	static const double shares[] = {0.1, 0.5};
	struct matrix m = matrix_new(UNIFORM);
	struct launch launch;
	struct evaluation e;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		int32_t *keys = keys_new(shares[i]);

		launch = launch_1d(ITEMS / 16, GROUP);
		launch_data(&launch, keys, ITEMS * sizeof(int32_t), SCALAR_INT, true);
		launch_buffer(&launch, ITEMS * sizeof(int32_t));
		launch_integer(&launch, SCALAR_INT, ITEMS);
		e = evaluated(kernel, device, &launch);
		assert_near(e.loops[0].usual, 1 - shares[i], 0.06);
		evaluation_deinit(&e);
		launch_end(&launch);
		free(keys);
	}
	launch = spmv_launch(&m, true);
	e = evaluated(rows, device, &launch);
	assert_true(e.has_equal_rows);
	assert_close(e.loops[0].most, e.loops[0].trips, 1e-6);
	evaluation_deinit(&e);
	launch_end(&launch);
	matrix_free(&m);
	kernel_free(rows);
	kernel_free(kernel);
	free(device);
}

/* ---- how sure it is ------------------------------------------------------------------------ */

/* The standard error of the mean work of a launch over keys: all alike, or as each 32nd says. */
static double work_error(const struct device *device, unsigned items, bool is_alike,
                         bool is_sampled, double *width)
{
	struct ir_kernel *kernel = analyse(CHOOSES, "");
	struct launch launch = launch_1d(items, GROUP);
	int32_t *keys = calloc(items, sizeof(*keys));
	struct evaluation e;
	struct prediction p;
	double error;

	assert_non_null(keys);
	for (unsigned i = 0; i < items; i++)
		keys[i] = !is_alike && (number_mix(i / 32) & 1) ? 200 : 7;
	launch_data(&launch, keys, items * sizeof(int32_t), SCALAR_INT, is_sampled);
	launch_buffer(&launch, items * sizeof(float));
	launch_buffer(&launch, items * sizeof(float));
	e = evaluated(kernel, device, &launch);
	p = answer(kernel, device, &launch);
	*width = p.high_s / p.low_s;
	error = e.work_error;
	evaluation_deinit(&e);
	launch_end(&launch);
	kernel_free(kernel);
	free(keys);
	return error;
}

/* Sampled warps that differ may be other than those that are not; so may data that were not read.
 */
static void what_was_not_looked_at_is_doubted(void **state)
{
	enum { WHOLE = 1 << 14 };

	(void)state;
	for (unsigned d = 0; d < 2; d++) {
		struct device *device = d ? device_cpu() : device_gpu();
		double width, alike_width, few, many;

		assert_true(work_error(device, ITEMS, true, true, &alike_width) == 0);
		assert_true(work_error(device, ITEMS, false, false, &width) == 0);
		/* 16 warps of either kind: of the mean at most the half of all apart, over four */
		few = work_error(device, WHOLE, false, true, &width);
		assert_true(few > 0.02);
		assert_true(few < 1 / sqrt(14));
		many = work_error(device, ITEMS, false, true, &width);
		assert_close(many / few, sqrt(2), 0.35);
		assert_true(width > alike_width);
		free(device);
	}
}

/* ---- the memory itself --------------------------------------------------------------------- */

/* A table of one access, of the first load of a kernel from its first argument. */
static struct held *held_from(struct held_table *table, const struct ir_kernel *kernel,
                              const struct launch *launch)
{
	assert_true(held_init(table, kernel, launch));
	assert_non_null(table->of);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (table->of[i])
			return table->of[i];
	fail_msg("nothing is held");
	return NULL;
}

/* Rows of 8 each, of which not all were read: places between runs are exact as well. */
static void what_is_in_order_is_interpolated(void **state)
{
	struct ir_kernel *kernel = analyse(GATHERS, "");
	struct launch launch = launch_1d(ITEMS, GROUP);
	int32_t *data = calloc(ITEMS, sizeof(*data));
	struct held_table table;
	struct held *held;
	int64_t before = -1;

	(void)state;
	assert_non_null(data);
	for (unsigned i = 0; i < ITEMS; i++)
		data[i] = (int32_t)(8 * i);
	launch_data(&launch, data, ITEMS * sizeof(int32_t), SCALAR_INT, true);
	held = held_from(&table, kernel, &launch);
	for (unsigned i = 0; i < ITEMS; i++)
		assert_int_equal(held_number(held, i * sizeof(int32_t)), data[i]);
	held_deinit(&table);
	launch_end(&launch);
	/* steps of 0 to 6: in order everywhere, and never far off */
	for (unsigned i = 1; i < ITEMS; i++)
		data[i] = data[i - 1] + (int32_t)(number_mix(i) % 7);
	launch.argument_count = 0;
	launch_data(&launch, data, ITEMS * sizeof(int32_t), SCALAR_INT, true);
	held = held_from(&table, kernel, &launch);
	for (unsigned i = 0; i < ITEMS; i++) {
		int64_t value = held_number(held, i * sizeof(int32_t));

		assert_true(value >= before && (before < 0 || value - before <= 16));
		assert_true(llabs(value - data[i]) < 4096);
		before = value;
	}
	held_deinit(&table);
	launch_end(&launch);
	free(data);
	kernel_free(kernel);
}

/* Runs of any lengths at any places, of which nobody knows what they are of: read within bounds. */
static void hostile_samples_are_read_within_their_bytes(void **state)
{
	static const char *const sources[] = {
	        GATHERS,
	        "kernel void f(global const float *index, global const float *x, global float *y) {"
	        " size_t i = get_global_id(0); y[i] = x[(int)index[i]]; }",
	        "kernel void f(global const double *index, global const float *x, global float *y) "
	        "{"
	        " size_t i = get_global_id(0); for (long k = 0; k < (long)index[i] && k < 100; k++)"
	        " y[i] += x[k - 50]; }",
	        "kernel void f(global const uchar *index, global const float *x, global float *y) {"
	        " size_t i = get_global_id(0); int k = i; while (index[k] != 3) k = (k + index[k])"
	        " % 1000 - 500; y[i] = x[k]; }",
	        "kernel void f(global const short3 *index, global const float *x, global float *y) "
	        "{"
	        " size_t i = get_global_id(0); if (index[-i].z > 0) y[i] = x[-index[i * i].y]; }"};
	struct device *device = device_gpu();
	uint64_t sequence = 77;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct ir_kernel *kernel =
		        analyse(sources[round % 5], round % 5 == 2 ? "-cl-std=CL1.2" : "");
		struct launch launch = launch_1d(1 << (round % 17), 1);
		uint64_t size = 1 + any_below(&sequence, round % 3 ? 5000 : 1u << 30);
		uint64_t offsets[8], at = 0;
		uint32_t lengths[8];
		uint8_t bytes[8 * 300];
		struct sample_parts parts = {.size_bytes = size,
		                             .scalar = SCALAR_VOID,
		                             .offsets_bytes = offsets,
		                             .lengths_bytes = lengths,
		                             .bytes = bytes};
		struct sample *sample = NULL;
		struct prediction p;
		struct error error;

		for (unsigned i = 0; i < sizeof bytes; i++)
			bytes[i] = round % 4 == 0 ? 0xff : (uint8_t)any_below(&sequence, 256);
		for (unsigned i = 0; i < 8 && at < size; i++) {
			uint64_t rest = size - at, length = 1 + any_below(&sequence, 299);

			offsets[i] = at + any_below(&sequence, rest / (8 - i) + 1);
			if (offsets[i] >= size)
				break;
			lengths[i] =
			        (uint32_t)(length < size - offsets[i] ? length : size - offsets[i]);
			parts.byte_count += lengths[i];
			at = offsets[i] + lengths[i] + 1;
			parts.offset_count = parts.length_count = i + 1;
		}
		assert_int_equal(sample_new(&parts, &sample, &error), STATUS_OK);
		launch_buffer(&launch, size);
		launch.arguments[0].sample = sample;
		launch_buffer(&launch, size);
		launch_buffer(&launch, size);
		p = answer(kernel, device, &launch);
		assert_true(p.kernel_time_s > 0 && isfinite(p.kernel_time_s));
		assert_true(p.low_s <= p.kernel_time_s && p.kernel_time_s <= p.high_s);
		launch_end(&launch);
		kernel_free(kernel);
	}
	free(device);
}

/* Samples of other data than what the launch has: another answer, and still one of such kernels. */
static void wrong_samples_say_something_else(void **state)
{
	struct ir_kernel *kernel = analyse(SPMV, "");
	struct device *device = device_gpu();
	struct matrix power = matrix_new(POWER), uniform = matrix_new(UNIFORM);
	struct launch launch = spmv_launch(&uniform, false);
	struct told right, wrong;

	(void)state;
	/* the row pointers of one, of which there are as many, for those of the other */
	launch.arguments[0].sample =
	        sample_take(power.start, (ROWS + 1) * sizeof(int32_t), SCALAR_INT);
	wrong = tell(kernel, device, &launch);
	right = spmv(kernel, device, &uniform, true);
	assert_true(wrong.time_s > 0.3 * right.time_s && wrong.time_s < 30 * right.time_s);
	assert_true(fabs(log(wrong.time_s / right.time_s)) > 0.05);
	matrix_free(&power);
	matrix_free(&uniform);
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_have_their_lengths),
	        cmocka_unit_test(branches_have_their_shares),
	        cmocka_unit_test(what_is_written_before_is_unknown),
	        cmocka_unit_test(indices_tell_what_is_touched),
	        cmocka_unit_test(searches_take_their_steps),
	        cmocka_unit_test(long_searches_end_as_others_do),
	        cmocka_unit_test(who_is_left_is_of_another_kind),
	        cmocka_unit_test(ends_are_as_usual_as_they_are),
	        cmocka_unit_test(what_was_not_looked_at_is_doubted),
	        cmocka_unit_test(what_is_in_order_is_interpolated),
	        cmocka_unit_test(hostile_samples_are_read_within_their_bytes),
	        cmocka_unit_test(wrong_samples_say_something_else),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}
