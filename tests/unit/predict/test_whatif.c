/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that kernels could follow, and what the model sees of a launch after them. */
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/passes/passes.h"
#include "model/whatif/whatif.h"
#include "tests/unit/predict/core.h"

enum { SIDE = 1024, PLACES = 19, DETAILS = 11 };

/* A kernel, a device and a launch of it; nothing is known of it yet. */
struct asked {
	struct ir_kernel *kernel;
	struct device *device;
	struct launch launch;
};

static void asked_free(struct asked *asked)
{
	free(asked->device);
	kernel_free(asked->kernel);
}

/* Buffers have room for SIDE * SIDE floats, integers are `value`. */
static struct asked ask(const char *source, struct device *device, struct launch launch,
                        int64_t value)
{
	struct asked asked = {analyse(source, ""), device, launch};

	for (uint32_t i = 0; i < asked.kernel->argument_count; i++) {
		if (asked.kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&asked.launch, 16ul * SIDE * SIDE);
		else
			launch_integer(&asked.launch,
			               (enum scalar)asked.kernel->arguments[i].type.scalar, value);
	}
	return asked;
}

static struct prediction listed(const struct asked *asked)
{
	return answer_by(asked->kernel, asked->device, &asked->launch,
	                 &(struct prediction_options){.with_what_ifs = true});
}

/* The first change of a kind; NULL: it is not listed. */
static const struct what_if *found(const struct prediction *prediction, enum what_if_kind kind)
{
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		if (prediction->what_ifs[i].kind == kind)
			return &prediction->what_ifs[i];
	return NULL;
}

/* The time after the first change of a kind, as a share of that before; 1: it is not listed. */
static double left(const struct asked *asked, enum what_if_kind kind)
{
	struct prediction before = listed(asked), after;
	const struct what_if *what_if = found(&before, kind);

	if (what_if == NULL)
		return 1;
	after = answer_by(asked->kernel, asked->device, &asked->launch,
	                  &(struct prediction_options){.what_if = *what_if});
	return after.kernel_time_s / before.kernel_time_s;
}

/* What a change leaves of a source's time on a GPU; 1: it is not listed. */
static double left_on_gpu(const char *source, enum what_if_kind kind, struct launch launch,
                          int64_t value)
{
	struct asked asked = ask(source, device_gpu(), launch, value);
	double share = left(&asked, kind);

	asked_free(&asked);
	return share;
}

#define STRIDED                                                                                    \
	"kernel void k(global const float *a, global float *b, int s)\n"                           \
	"{ size_t i = get_global_id(0); b[i] = a[i * s]; }\n"
#define COLUMNS                                                                                    \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ size_t x = get_global_id(0), y = get_global_id(1); b[x * n + y] = a[x * n + y]; }\n"
#define TRANSPOSE                                                                                  \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ size_t x = get_global_id(0), y = get_global_id(1); b[x * n + y] = a[y * n + x]; }\n"
#define TILE                                                                                       \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ local float t[32][%s]; int x = get_local_id(0), y = get_local_id(1);\n"                 \
	"  t[y][x] = a[get_global_id(1) * n + get_global_id(0)];\n"                                \
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"                                                        \
	"  for (int i = 0; i < 64; i++) t[y][x] += t[x][y];\n"                                     \
	"  b[get_global_id(1) * n + get_global_id(0)] = t[y][x]; }\n"
#define SINES                                                                                      \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ size_t i = get_global_id(0); float x = a[i];\n"                                         \
	"  for (int k = 0; k < 1000; k++) x = %s(x);\n"                                            \
	"  b[i] = x; }\n"
#define DIVISION                                                                                   \
	"kernel void k(global const uint *a, global uint *b, uint n)\n"                            \
	"{ size_t i = get_global_id(0); uint x = a[i];\n"                                          \
	"  for (int k = 0; k < 1000; k++) x = x / n + k;\n"                                        \
	"  b[i] = x; }\n"
#define BRANCH                                                                                     \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ size_t i = get_global_id(0); float x = a[i];\n"                                         \
	"  if (%s) for (int k = 0; k < 1000; k++) x = x * x + 1.0f;\n"                             \
	"  b[i] = x; }\n"

static void strided_data_are_laid_out_beside_each_other(void **state)
{
	(void)state;
	assert_true(left_on_gpu(STRIDED, WHAT_IF_TRANSPOSED, launch_1d(ITEMS, 64), 16) < 0.9);
	/* neighbours are beside each other already */
	assert_true(left_on_gpu(STRIDED, WHAT_IF_TRANSPOSED, launch_1d(ITEMS, 64), 1) >= 1);
}

static void a_changed_layout_is_what_the_kernel_of_that_layout_takes(void **state)
{
	struct asked good = ask(STRIDED, device_gpu(), launch_1d(ITEMS, 64), 1);
	struct asked bad = ask(STRIDED, device_gpu(), launch_1d(ITEMS, 64), 16);
	struct prediction before = listed(&bad), want = listed(&good), got;
	const struct what_if *what_if = found(&before, WHAT_IF_TRANSPOSED);

	(void)state;
	assert_non_null(what_if);
	assert_int_equal(what_if->line, 2);
	assert_close(what_if->detail, 64, 1e-9);
	got = answer_by(bad.kernel, bad.device, &bad.launch,
	                &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 0.02);
	asked_free(&good);
	asked_free(&bad);
}

static void dimensions_are_exchanged_where_the_second_has_the_neighbours(void **state)
{
	(void)state;
	assert_true(left_on_gpu(COLUMNS, WHAT_IF_EXCHANGED, launch_2d(SIDE, SIDE, 64, 1), SIDE) <
	            0.9);
	assert_true(left_on_gpu("kernel void k(global float *a, int n) { a[get_global_id(1) * n + "
	                        "get_global_id(0)] = 1; }",
	                        WHAT_IF_EXCHANGED, launch_2d(SIDE, SIDE, 64, 1), SIDE) >= 1);
}

static void a_transposition_goes_through_a_tile(void **state)
{
	struct asked asked = ask(TRANSPOSE, device_gpu(), launch_2d(SIDE, SIDE, 32, 8), SIDE);
	struct prediction before = listed(&asked), after;
	const struct what_if *what_if = found(&before, WHAT_IF_TILED);

	(void)state;
	assert_non_null(what_if);
	assert_int_equal(asked.kernel->accesses[what_if->place].kind, ACCESS_STORE);
	after = answer_by(asked.kernel, asked.device, &asked.launch,
	                  &(struct prediction_options){.what_if = *what_if});
	/* 32 floats of 4 bytes are 4 segments of 32 */
	assert_close(before.accesses[what_if->place].segments_per_warp, 32, 1e-9);
	assert_close(after.accesses[what_if->place].segments_per_warp, 4, 1e-9);
	assert_int_equal(after.access_count, before.access_count + 2);
	asked_free(&asked);
}

static void rows_of_a_tile_are_padded_where_columns_are_read(void **state)
{
	char source[2048];
	struct launch launch = launch_2d(SIDE, SIDE, 32, 8);

	(void)state;
	(void)snprintf(source, sizeof source, TILE, "32");
	assert_true(left_on_gpu(source, WHAT_IF_PADDED, launch, SIDE) < 0.9);
	(void)snprintf(source, sizeof source, TILE, "33");
	assert_true(left_on_gpu(source, WHAT_IF_PADDED, launch, SIDE) >= 1);
}

static void a_native_function_takes_its_own_price(void **state)
{
	char source[1024];
	struct asked plain, native;
	struct prediction before, want, got;
	const struct what_if *what_if;

	(void)state;
	(void)snprintf(source, sizeof source, SINES, "sin");
	plain = ask(source, device_gpu(), launch_1d(ITEMS, 64), 0);
	(void)snprintf(source, sizeof source, SINES, "native_sin");
	native = ask(source, device_gpu(), launch_1d(ITEMS, 64), 0);
	before = listed(&plain);
	want = listed(&native);
	what_if = found(&before, WHAT_IF_NATIVE);
	assert_non_null(what_if);
	assert_int_equal(what_if->place, BUILTIN_SIN);
	got = answer_by(plain.kernel, plain.device, &plain.launch,
	                &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 1e-9);
	assert_null(found(&want, WHAT_IF_NATIVE));
	asked_free(&plain);
	asked_free(&native);
}

static void division_by_an_argument_becomes_one_by_a_constant(void **state)
{
	struct asked asked = ask(DIVISION, device_gpu(), launch_1d(ITEMS, 64), 64);
	struct prediction before = listed(&asked);
	const struct what_if *what_if = found(&before, WHAT_IF_CONSTANT_ARG);
	char name[IR_NAME_MAX];

	(void)state;
	assert_non_null(what_if);
	assert_close(what_if->detail, 64, 1e-9);
	what_if_name(asked.kernel, what_if, name);
	assert_string_equal(name, "n");
	assert_true(left(&asked, WHAT_IF_CONSTANT_ARG) < 0.9);
	asked_free(&asked);
}

static void work_items_of_a_branch_fill_warps_where_they_are_scattered(void **state)
{
	char source[1024];

	(void)state;
	(void)snprintf(source, sizeof source, BRANCH, "i % 2 == 0");
	assert_true(left_on_gpu(source, WHAT_IF_CONVERGED, launch_1d(ITEMS, 64), 0) < 0.9);
	(void)snprintf(source, sizeof source, BRANCH, "i < 4096");
	assert_true(left_on_gpu(source, WHAT_IF_CONVERGED, launch_1d(ITEMS, 64), 0) >= 1);
	(void)snprintf(source, sizeof source, BRANCH, "i / 32 % 2 == 0");
	assert_true(left_on_gpu(source, WHAT_IF_CONVERGED, launch_1d(ITEMS, 64), 0) >= 1);
}

static void what_a_group_reads_again_comes_through_local_memory(void **state)
{
	struct asked asked = {kernel_matmul(), device_gpu(), launch_2d(256, 256, 16, 16)};
	struct prediction before, after;
	const struct what_if *what_if;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&asked.launch, 4ul * 256 * 256);
	launch_integer(&asked.launch, SCALAR_INT, 256);
	before = listed(&asked);
	what_if = found(&before, WHAT_IF_STAGED);
	assert_non_null(what_if);
	after = answer_by(asked.kernel, asked.device, &asked.launch,
	                  &(struct prediction_options){.what_if = *what_if});
	/* each is loaded from global memory for a tile of sixteen, and from local memory each time
	 */
	for (uint32_t i = 0; i < 2; i++) {
		assert_close(before.accesses[i].executions, 256, 1e-6);
		assert_close(after.accesses[i].executions, 16, 1e-6);
	}
	assert_int_equal(after.access_count, before.access_count + 4);
	asked_free(&asked);
}

static void a_kernel_with_local_memory_is_left_alone(void **state)
{
	char source[2048];
	struct asked asked;
	struct prediction before;

	(void)state;
	(void)snprintf(source, sizeof source, TILE, "33");
	asked = ask(source, device_gpu(), launch_2d(SIDE, SIDE, 32, 8), SIDE);
	before = listed(&asked);
	assert_null(found(&before, WHAT_IF_STAGED));
	assert_null(found(&before, WHAT_IF_TILED));
	assert_null(found(&before, WHAT_IF_GROUPED));
	asked_free(&asked);
}

static void shapes_of_a_group_are_those_that_divide(void **state)
{
	struct asked asked = ask(STRIDED, device_gpu(), launch_1d(3 * 64, 64), 1);
	struct prediction before = listed(&asked);

	(void)state;
	for (uint32_t i = 0; i < before.what_if_count; i++)
		if (before.what_ifs[i].kind == WHAT_IF_GROUPED)
			assert_int_equal(before.what_ifs[i].place, 5);
	assert_non_null(found(&before, WHAT_IF_GROUPED));
	asked_free(&asked);
}

static void a_list_changes_no_prediction(void **state)
{
	struct asked asked = ask(COLUMNS, device_gpu(), launch_2d(SIDE, SIDE, 16, 16), SIDE);
	struct prediction plain = answer(asked.kernel, asked.device, &asked.launch);
	struct prediction with = listed(&asked);

	(void)state;
	assert_true(plain.kernel_time_s == with.kernel_time_s);
	assert_true(plain.what_if_count == 0 && with.what_if_count > 0);
	asked_free(&asked);
}

static void a_store_in_a_loop_goes_behind_it(void **state)
{
	static const char shown[] =
	        "kernel void k(global const float *a, global float *b, int n)\n"
	        "{ size_t i = get_global_id(0); float x = a[i];\n"
	        "  for (int k = 0; k < n; k++) b[%s] = x = x * a[k] + 1.0f; }\n";
	char source[512];

	(void)state;
	/* it may be what the next iteration reads: no compiler moves it */
	(void)snprintf(source, sizeof source, shown, "i");
	assert_true(left_on_gpu(source, WHAT_IF_KEPT, launch_1d(ITEMS, 64), 64) < 0.9);
	/* each iteration has a place of its own */
	(void)snprintf(source, sizeof source, shown, "i + k");
	assert_true(left_on_gpu(source, WHAT_IF_KEPT, launch_1d(ITEMS, 64), 64) >= 1);
}

/* What a look into a table is listed as, where the table has so many bytes. */
static bool lists_table(const char *source, struct device *device, uint64_t bytes)
{
	struct asked asked = {analyse(source, ""), device, launch_1d(ITEMS, 64)};
	struct prediction before;
	bool is_listed;

	launch_buffer(&asked.launch, 16ul * SIDE * SIDE);
	launch_buffer(&asked.launch, bytes);
	launch_buffer(&asked.launch, 16ul * SIDE * SIDE);
	before = listed(&asked);
	is_listed = found(&before, WHAT_IF_IN_LOCAL) != NULL;
	if (is_listed) {
		struct prediction after = answer_by(
		        asked.kernel, asked.device, &asked.launch,
		        &(struct prediction_options){.what_if = *found(&before, WHAT_IF_IN_LOCAL)});

		assert_true(after.kernel_time_s > 0 && after.kernel_time_s != before.kernel_time_s);
	}
	asked_free(&asked);
	return is_listed;
}

static void small_tables_that_data_choose_of_are_listed(void **state)
{
	static const char looked[] =
	        "kernel void k(global const uchar *a, constant float *t, global float *b)\n"
	        "{ size_t i = get_global_id(0); float s = 0;\n"
	        "  for (int k = 0; k < 64; k++) s += t[a[k * get_global_size(0) + i]];\n"
	        "  b[i] = s; }\n";
	static const char counted[] =
	        "kernel void k(global const uchar *a, global uint *t, global float *b)\n"
	        "{ size_t i = get_global_id(0);\n"
	        "  for (int k = 0; k < 64; k++) atomic_inc(&t[a[k * get_global_size(0) + i]]); }\n";
	static const char alike[] =
	        "kernel void k(global const float *a, constant float *t, global float *b)\n"
	        "{ size_t i = get_global_id(0); float s = a[i];\n"
	        "  for (int k = 0; k < 64; k++) s += t[k];\n"
	        "  b[i] = s; }\n";

	(void)state;
	assert_true(lists_table(looked, device_gpu(), 1024));
	assert_true(lists_table(counted, device_gpu(), 1024));
	assert_false(lists_table(looked, device_gpu(), 1 << 20)); /* no group has room for it */
	assert_false(lists_table(looked, device_cpu(), 1024));    /* local memory is memory there */
	assert_false(lists_table(alike, device_gpu(), 1024));     /* as constant memory has it */
}

/* Whatever is asked for is predicted, or the kernel has nothing such. */
static void any_change_of_any_place_is_answered(void **state)
{
	static const double details[DETAILS] = {0,    1,  2,     4,      63.5,    2048,
	                                        4096, -1, 1e300, -1e300, HUGE_VAL};
	static const uint32_t places[PLACES] = {
	        0,  1,   2,   3,      4,      5,      6,     7,       8,         12,
	        31, 261, 300, 0x0200, 0x0401, 0x0404, 65536, 1 << 24, UINT32_MAX};
	char branch[1024], tile[2048];
	const char *const sources[] = {STRIDED, COLUMNS, TRANSPOSE, DIVISION, branch, tile};

	(void)state;
	(void)snprintf(branch, sizeof branch, BRANCH, "i % 2 == 0");
	(void)snprintf(tile, sizeof tile, TILE, "32");
	for (unsigned s = 0; s < 2 * sizeof sources / sizeof sources[0]; s++) {
		struct asked asked = ask(sources[s / 2], s % 2 ? device_gpu() : device_cpu(),
		                         launch_2d(64, 64, 16, 4), 64);
		unsigned done = 0;

		for (unsigned i = 0; i < (WHAT_IF_COUNT + 1) * PLACES * DETAILS; i++) {
			struct prediction_options options = {
			        .what_if = {.kind = (uint8_t)(i / (PLACES * DETAILS)),
			                    .place = places[i % PLACES],
			                    .detail = details[i / PLACES % DETAILS]}};
			struct prediction prediction;
			struct error error;
			enum status status = predict(asked.kernel, asked.device, &asked.launch,
			                             &options, &prediction, &error);

			assert_true(status == STATUS_OK || status == STATUS_INVALID);
			done += status == STATUS_OK;
			if (status == STATUS_OK)
				assert_true(isfinite(prediction.kernel_time_s) &&
				            prediction.kernel_time_s > 0);
		}
		assert_true(done > PLACES * DETAILS); /* of the first kind, and of others */
		asked_free(&asked);
	}
}

/* ---- several results a work-item, and several work-items a result -------------------------- */

/* The change of a kind that has such a place; NULL: it is not listed. */
static const struct what_if *found_at(const struct prediction *prediction, enum what_if_kind kind,
                                      uint32_t place)
{
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		if (prediction->what_ifs[i].kind == kind && prediction->what_ifs[i].place == place)
			return &prediction->what_ifs[i];
	return NULL;
}

/* A changed kernel takes what takes the one that has the change written in it. */
static void assert_as_written(const char *before_source, struct launch before_launch,
                              enum what_if_kind kind, uint32_t place, const char *after_source,
                              struct launch after_launch, struct device *(*device)(void))
{
	struct asked before = ask(before_source, device(), before_launch, 64);
	struct asked after = ask(after_source, device(), after_launch, 64);
	struct prediction first = listed(&before);
	struct prediction want = answer(after.kernel, after.device, &after.launch), got;
	const struct what_if *what_if = found_at(&first, kind, place);

	assert_non_null(what_if);
	got = answer_by(before.kernel, before.device, &before.launch,
	                &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 0.02);
	assert_true(fabs(got.kernel_time_s / first.kernel_time_s - 1) > 0.03);
	asked_free(&before);
	asked_free(&after);
}

#define HALVES                                                                                     \
	"kernel void k(global const uchar *a, global uchar *b)\n"                                  \
	"{ size_t i = get_global_id(0); b[i] = a[i] / 2; }\n"

static void neighbouring_results_take_what_vectors_take(void **state)
{
	(void)state;
	assert_as_written(HALVES, launch_1d(ITEMS, 64), WHAT_IF_WIDENED, 4 << 8,
	                  "kernel void k(global const uchar4 *a, global uchar4 *b)\n"
	                  "{ size_t i = get_global_id(0); b[i] = a[i] / (uchar4)2; }\n",
	                  launch_1d(ITEMS / 4, 64), device_gpu);
}

static void vectors_are_sure_where_they_are_aligned(void **state)
{
	struct asked asked = ask("kernel void k(global const uchar *a, global uchar *b, int n)\n"
	                         "{ size_t i = get_global_id(0); b[i] = a[i + 2 + 2 * n] / 2; }\n",
	                         device_gpu(), launch_1d(ITEMS, 64), 64);
	struct prediction before = listed(&asked);

	(void)state;
	assert_true(found_at(&before, WHAT_IF_WIDENED, 2 << 8)->is_sure);
	assert_false(found_at(&before, WHAT_IF_WIDENED, 4 << 8)->is_sure);
	asked_free(&asked);
}

/* Words that work-items of a group write and read again at a place of `at`. */
#define ROUNDS(declaration, at)                                                                    \
	"struct p { float x[16]; }; struct q { float x[17]; };\n"                                  \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ " declaration "; size_t i = get_global_id(0); uint l = get_local_id(0);\n"              \
	"  float x = a[i];\n"                                                                      \
	"  for (int r = 0; r < n; r++) { " at " = x; barrier(CLK_LOCAL_MEM_FENCE);\n"              \
	"    x = x + " at "; barrier(CLK_LOCAL_MEM_FENCE); }\n"                                    \
	"  b[i] = x; }\n"

static void pads_part_the_banks_of_structures_and_of_strides(void **state)
{
	struct launch launch = launch_1d(ITEMS, 64);

	(void)state;
	assert_as_written(ROUNDS("local struct p w[64]", "w[l].x[0]"), launch, WHAT_IF_SKEWED, 2,
	                  ROUNDS("local struct q w[64]", "w[l].x[0]"), launch, device_gpu);
	assert_as_written(ROUNDS("local float w[1024]", "w[l * 16]"), launch, WHAT_IF_SKEWED, 2,
	                  ROUNDS("local float w[1056]", "w[l * 16 + l * 16 / 32]"), launch,
	                  device_gpu);
	assert_true(left_on_gpu(ROUNDS("local float w[64]", "w[l]"), WHAT_IF_SKEWED, launch, 64) >=
	            1);
}

static void arrays_at_unknown_places_come_into_local_memory(void **state)
{
#define COUNTED(declaration, at, first)                                                            \
	"kernel void k(global const int *a, global int *b, int n)\n"                               \
	"{ " declaration "; size_t i = get_global_id(0), l = get_local_id(0);\n"                   \
	"  for (int k = 0; k < 16; k++) " first " = 0;\n"                                          \
	"  for (int k = 0; k < n; k++) { ulong p = a[k * 65536 + i] & 15; " at "; }\n"             \
	"  ulong p = a[i] & 15; b[i] = " first "; }\n"
	struct launch launch = launch_1d(65536, 64);

	(void)state;
	assert_true(left_on_gpu(COUNTED("int w[16]", "w[p]++", "w[i & 15]"), WHAT_IF_NEAR, launch,
	                        64) != 1);
	/* more than a group has */
	assert_true(left_on_gpu(COUNTED("int w[1024]", "w[p]++", "w[i & 15]"), WHAT_IF_NEAR, launch,
	                        64) >= 1);
#undef COUNTED
}

static void more_groups_share_a_loop_by_all_work_items(void **state)
{
#define ADDED(first, by)                                                                           \
	"kernel void k(global const int *a, global int *b, int n)\n"                               \
	"{ int s = 0; for (uint i = " first "; i < n; i += " by ") s += a[i];\n"                   \
	"  atomic_add(b, s); }\n"
	struct launch one = launch_1d(256, 256);
	struct asked asked =
	        ask(ADDED("get_global_id(0)", "get_global_size(0)"), device_gpu(), one, 1 << 20);
	struct prediction before = listed(&asked), after, want;
	const struct what_if *what_if = found(&before, WHAT_IF_MORE_GROUPS);

	(void)state;
	assert_non_null(what_if);
	after = answer_by(asked.kernel, asked.device, &asked.launch,
	                  &(struct prediction_options){.what_if = *what_if});
	asked.launch.global[0] *= (uint64_t)what_if->detail;
	want = answer(asked.kernel, asked.device, &asked.launch);
	assert_close(after.kernel_time_s, want.kernel_time_s, 1e-6);
	assert_true(after.kernel_time_s < 0.2 * before.kernel_time_s);
	asked_free(&asked);
	/* a loop by the only group's work-items becomes one by all; of several groups each has its
	 * own */
	assert_true(left_on_gpu(ADDED("get_local_id(0)", "256"), WHAT_IF_MORE_GROUPS, one,
	                        1 << 20) < 0.2);
	assert_true(left_on_gpu(ADDED("get_local_id(0)", "256"), WHAT_IF_MORE_GROUPS,
	                        launch_1d(512, 256), 1 << 20) >= 1);
}
#undef ADDED

static void results_in_turns_take_what_a_loop_around_the_kernel_takes(void **state)
{
	(void)state;
	assert_as_written(HALVES, launch_1d(ITEMS, 64), WHAT_IF_IN_TURNS, 4 << 8,
	                  "kernel void k(global const uchar *a, global uchar *b)\n"
	                  "{ size_t n = get_global_size(0);\n"
	                  "#pragma unroll 1\n"
	                  "  for (ulong t = 0; t < 4; t++) { size_t i = get_global_id(0) + t * n;\n"
	                  "  b[i] = a[i] / 2; } }\n",
	                  launch_1d(ITEMS / 4, 64), device_gpu);
}

#define ALIKE                                                                                      \
	"kernel void k(global const float *a, global const float *v, global float *b, int n)\n"    \
	"{ size_t i = get_global_id(0); float s = 0;\n"                                            \
	"  for (int k = 0; k < n; k++) s += v[k] * a[k * 65536 + i];\n"                            \
	"  b[i] = s; }\n"

static void results_in_blocks_read_once_what_they_share(void **state)
{
	struct launch launch = launch_1d(65536, 64);

	(void)state;
	assert_as_written(ALIKE, launch, WHAT_IF_BLOCKED, 2 << 8,
	                  "kernel void k(global const float *a, global const float *v, global "
	                  "float *b, int n)\n"
	                  "{ size_t i = get_global_id(0), j = i + 32768; float s = 0, t = 0;\n"
	                  "  for (int k = 0; k < n; k++)\n"
	                  "  { s += v[k] * a[k * 65536 + i]; t += v[k] * a[k * 65536 + j]; }\n"
	                  "  b[i] = s; b[j] = t; }\n",
	                  launch_1d(32768, 64), device_gpu);
}

static void groups_of_tiles_share_a_tile(void **state)
{
	static const char tiled[] =
	        "kernel void k(global const float *a, global const float *b, global float *c, int "
	        "n)\n"
	        "{ local float ta[16][16], tb[16][16];\n"
	        "  int lx = get_local_id(0), ly = get_local_id(1); float s = 0;\n"
	        "  int x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;\n"
	        "  for (int t = 0; t < n / 16; t++) {\n"
	        "    ta[ly][lx] = a[y * n + t * 16 + lx];\n"
	        "    tb[ly][lx] = b[(t * 16 + ly) * n + x];\n"
	        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
	        "    for (int k = 0; k < 16; k++) s += ta[ly][k] * tb[k][lx];\n"
	        "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
	        "  c[y * n + x] = s; }\n";
	struct asked asked = ask(tiled, device_gpu(), launch_2d(SIDE, SIDE, 16, 16), SIDE);
	struct prediction before = listed(&asked), after;
	const struct what_if *what_if = found_at(&before, WHAT_IF_BLOCKED, 2 << 8);

	(void)state;
	assert_non_null(what_if);
	after = answer_by(asked.kernel, asked.device, &asked.launch,
	                  &(struct prediction_options){.what_if = *what_if});
	/* of two tiles: rows of a once, rows of b twice, either in local memory, and two stores */
	assert_int_equal(before.access_count, 7);
	assert_int_equal(after.access_count, 11);
	assert_true(after.kernel_time_s < 0.9 * before.kernel_time_s);
	asked_free(&asked);
}

static void a_loop_is_shared_where_work_items_are_few(void **state)
{
	static const char rows[] = "kernel void k(global const float *a, global float *b, int n)\n"
	                           "{ size_t i = get_global_id(0); float s = 0;\n"
	                           "  for (int k = 0; k < n; k++) s += a[i * n + k];\n"
	                           "  b[i] = s; }\n";
	static const char chain[] = "kernel void k(global const float *a, global float *b, int n)\n"
	                            "{ size_t i = get_global_id(0); float s = 0;\n"
	                            "  for (int k = 0; k < n; k++) s = s * s + a[i * n + k];\n"
	                            "  b[i] = s; }\n";

	(void)state;
	assert_true(left_on_gpu(rows, WHAT_IF_SPREAD, launch_1d(1024, 64), SIDE) < 0.5);
	/* each iteration needs the one before */
	assert_true(left_on_gpu(chain, WHAT_IF_SPREAD, launch_1d(1024, 64), SIDE) >= 1);
	/* groups are smaller than what would share a loop */
	assert_true(left_on_gpu(rows, WHAT_IF_SPREAD, launch_1d(1024, 16), SIDE) >= 1);
}

static void results_that_data_part_or_groups_see_stay_apart(void **state)
{
	static const char *const sources[] = {
	        "kernel void k(global const uchar *a, global uchar *b)\n"
	        "{ size_t i = get_global_id(0); if (a[i] > 4) b[i] = 1; }\n",
	        "kernel void k(global const uchar *a, global uchar *b)\n"
	        "{ size_t i = get_global_id(0); b[i] = a[i] + get_local_id(0); }\n"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct asked asked = ask(sources[i], device_gpu(), launch_1d(ITEMS, 64), 0);
		struct prediction before = listed(&asked);

		assert_null(found(&before, WHAT_IF_WIDENED));
		assert_null(found(&before, WHAT_IF_BLOCKED));
		asked_free(&asked);
	}
}

static void unused_local_memory_is_given_back(void **state)
{
	static const char shown[] = "kernel void k(global const float *a, global float *b)\n"
	                            "{ local float t[%d]; size_t i = get_global_id(0);\n"
	                            "  int l = get_local_id(0); float x = a[i];\n"
	                            "  for (int k = 0; k < 64; k++) { t[l] = x;\n"
	                            "  barrier(CLK_LOCAL_MEM_FENCE); x += t[63 - l]; }\n"
	                            "  b[i] = x; }\n";
	char large[1024], small[1024];

	(void)state;
	(void)snprintf(large, sizeof large, shown, 8192);
	(void)snprintf(small, sizeof small, shown, 64);
	assert_as_written(large, launch_1d(ITEMS, 64), WHAT_IF_RESERVED, 2, small,
	                  launch_1d(ITEMS, 64), device_gpu);
	assert_true(left_on_gpu(small, WHAT_IF_RESERVED, launch_1d(ITEMS, 64), 0) >= 1);
}

static void windows_of_a_group_are_as_large_as_what_they_cover(void **state)
{
	static const char moving[] = "kernel void k(global const float *a, global float *b)\n"
	                             "{ size_t i = get_global_id(0); float s = 0;\n"
	                             "  for (int k = 0; k < 9; k++) s += a[i + k];\n"
	                             "  b[i] = s; }\n";
	static const char square[] =
	        "kernel void k(global const float *a, global float *b, int n)\n"
	        "{ size_t x = get_global_id(0), y = get_global_id(1); float s = 0;\n"
	        "  for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++)\n"
	        "    s += a[(y + i) * n + x + j];\n"
	        "  b[y * n + x] = s; }\n";
	struct asked line = ask(moving, device_gpu(), launch_1d(ITEMS, 64), 0);
	struct asked plane = ask(square, device_gpu(), launch_2d(256, 256, 32, 8), 512);
	struct prediction before = listed(&line), after;
	const struct what_if *what_if = found(&before, WHAT_IF_WINDOW);

	(void)state;
	assert_non_null(what_if);
	assert_close(what_if->detail, 4 * (64 + 8), 1e-9);
	after = answer_by(line.kernel, line.device, &line.launch,
	                  &(struct prediction_options){.what_if = *what_if});
	assert_int_equal(after.access_count, before.access_count + 2);
	before = listed(&plane);
	what_if = found(&before, WHAT_IF_WINDOW);
	assert_non_null(what_if);
	assert_close(what_if->detail, 4 * (32 + 4) * (8 + 4), 1e-9);
	asked_free(&line);
	asked_free(&plane);
}

static void unequal_trips_of_a_warp_are_balanced(void **state)
{
	static const char shown[] = "kernel void k(global const float *a, global float *b)\n"
	                            "{ size_t i = get_global_id(0); float x = a[i];\n"
	                            "  for (size_t k = 0; k < %s; k++) x = x * x + 1.0f;\n"
	                            "  b[i] = x; }\n";
	char source[512];

	(void)state;
	(void)snprintf(source, sizeof source, shown, "100 * (i % 32)");
	assert_true(left_on_gpu(source, WHAT_IF_BALANCED, launch_1d(ITEMS, 64), 0) < 0.9);
	(void)snprintf(source, sizeof source, shown, "1000");
	assert_true(left_on_gpu(source, WHAT_IF_BALANCED, launch_1d(ITEMS, 64), 0) >= 1);
}

static void rows_become_an_image_s_where_they_are_read_only(void **state)
{
	static const char image[] =
	        "constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
	        "kernel void k(read_only image2d_t a, global float *b, int n)\n"
	        "{ int x = get_global_id(0), y = get_global_id(1);\n"
	        "  b[y * n + x] = read_imagef(a, at, (int2)(y, x)).x; }\n";
	static const char buffer[] =
	        "kernel void k(global const float *a, global float *b, int n)\n"
	        "{ int x = get_global_id(0), y = get_global_id(1);\n"
	        "  b[y * n + x] = a[x * n + y]; }\n";
	struct launch launch = launch_2d(SIDE, SIDE, 32, 8);
	struct asked before = ask(buffer, device_gpu(), launch, SIDE);
	struct asked after = {analyse(image, ""), device_gpu(), launch};
	struct prediction first = listed(&before), want, got;
	const struct what_if *what_if = found(&first, WHAT_IF_IMAGE);

	(void)state;
	after.launch.arguments[after.launch.argument_count++] =
	        (struct launch_argument){.kind = ARGUMENT_IMAGE,
	                                 .width = SIDE,
	                                 .height = 4 * SIDE,
	                                 .has_format = true,
	                                 .format = IMAGE_R32F};
	launch_buffer(&after.launch, 16ul * SIDE * SIDE);
	launch_integer(&after.launch, SCALAR_INT, SIDE);
	assert_non_null(what_if);
	assert_close(what_if->detail, SIDE, 1e-9);
	want = answer(after.kernel, after.device, &after.launch);
	got = answer_by(before.kernel, before.device, &before.launch,
	                &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 0.02);
	/* what is written is no image that is read only */
	assert_null(found_at(&first, WHAT_IF_IMAGE, 1));
	asked_free(&before);
	asked_free(&after);
}

static void atomics_of_a_loop_on_one_place_go_behind_it(void **state)
{
	static const char shown[] = "kernel void k(global const int *a, global int *b, int n)\n"
	                            "{ size_t i = get_global_id(0);\n"
	                            "  for (int k = 0; k < n; k++) %s; }\n";
	char source[512];

	(void)state;
	(void)snprintf(source, sizeof source, shown, "atomic_add(b, a[i + k])");
	assert_true(left_on_gpu(source, WHAT_IF_KEPT, launch_1d(ITEMS, 64), 64) < 0.5);
	/* what it gets is looked at */
	(void)snprintf(source, sizeof source, shown, "b[1 + atomic_inc(b)] = k");
	assert_true(left_on_gpu(source, WHAT_IF_KEPT, launch_1d(ITEMS, 64), 64) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(strided_data_are_laid_out_beside_each_other),
	        cmocka_unit_test(a_changed_layout_is_what_the_kernel_of_that_layout_takes),
	        cmocka_unit_test(dimensions_are_exchanged_where_the_second_has_the_neighbours),
	        cmocka_unit_test(a_transposition_goes_through_a_tile),
	        cmocka_unit_test(rows_of_a_tile_are_padded_where_columns_are_read),
	        cmocka_unit_test(a_native_function_takes_its_own_price),
	        cmocka_unit_test(division_by_an_argument_becomes_one_by_a_constant),
	        cmocka_unit_test(work_items_of_a_branch_fill_warps_where_they_are_scattered),
	        cmocka_unit_test(what_a_group_reads_again_comes_through_local_memory),
	        cmocka_unit_test(a_kernel_with_local_memory_is_left_alone),
	        cmocka_unit_test(shapes_of_a_group_are_those_that_divide),
	        cmocka_unit_test(a_list_changes_no_prediction),
	        cmocka_unit_test(a_store_in_a_loop_goes_behind_it),
	        cmocka_unit_test(small_tables_that_data_choose_of_are_listed),
	        cmocka_unit_test(neighbouring_results_take_what_vectors_take),
	        cmocka_unit_test(vectors_are_sure_where_they_are_aligned),
	        cmocka_unit_test(pads_part_the_banks_of_structures_and_of_strides),
	        cmocka_unit_test(arrays_at_unknown_places_come_into_local_memory),
	        cmocka_unit_test(more_groups_share_a_loop_by_all_work_items),
	        cmocka_unit_test(results_in_turns_take_what_a_loop_around_the_kernel_takes),
	        cmocka_unit_test(results_in_blocks_read_once_what_they_share),
	        cmocka_unit_test(groups_of_tiles_share_a_tile),
	        cmocka_unit_test(a_loop_is_shared_where_work_items_are_few),
	        cmocka_unit_test(results_that_data_part_or_groups_see_stay_apart),
	        cmocka_unit_test(unused_local_memory_is_given_back),
	        cmocka_unit_test(windows_of_a_group_are_as_large_as_what_they_cover),
	        cmocka_unit_test(unequal_trips_of_a_warp_are_balanced),
	        cmocka_unit_test(rows_become_an_image_s_where_they_are_read_only),
	        cmocka_unit_test(atomics_of_a_loop_on_one_place_go_behind_it),
	        cmocka_unit_test(any_change_of_any_place_is_answered),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
