/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that kernels could follow on a CPU take what kernels take that have them written in. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

#include "model/passes/passes.h"
#include "model/whatif/whatif.h"
#include "tests/unit/predict/core.h"

enum { MANY = 1 << 18, NUMBER = 64, BYTES = 64 << 20 };

static struct prediction asked(const char *source, struct launch launch,
                               const struct prediction_options *options)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct device *device = device_cpu();
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, BYTES);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               NUMBER);
	}
	prediction = answer_by(kernel, device, &launch, options);
	free(device);
	kernel_free(kernel);
	return prediction;
}

/* The change of a kind, and of so much, or of so many neighbouring results; NULL: not listed. */
static const struct what_if *found(const struct prediction *prediction, enum what_if_kind kind,
                                   double detail)
{
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		if (prediction->what_ifs[i].kind == kind &&
		    (detail == 0 ||
		     detail == (kind == WHAT_IF_WIDENED ? prediction->what_ifs[i].place >> 8
		                                        : prediction->what_ifs[i].detail)))
			return &prediction->what_ifs[i];
	return NULL;
}

static bool lists(const char *source, enum what_if_kind kind)
{
	struct prediction before = asked(source, launch_1d(MANY, 64),
	                                 &(struct prediction_options){.with_what_ifs = true});

	return found(&before, kind, 0) != NULL;
}

static void assert_as_written(const char *before_source, enum what_if_kind kind, double detail,
                              const char *after_source, struct launch after_launch)
{
	struct prediction before = asked(before_source, launch_1d(MANY, 64),
	                                 &(struct prediction_options){.with_what_ifs = true});
	struct prediction want = asked(after_source, after_launch, &(struct prediction_options){0});
	const struct what_if *what_if = found(&before, kind, detail);
	struct prediction got;

	assert_non_null(what_if);
	got = asked(before_source, launch_1d(MANY, 64),
	            &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 0.02);
	/* memory may hide what a division takes */
	assert_true(kind == WHAT_IF_QUOTIENT ||
	            fabs(got.kernel_time_s / before.kernel_time_s - 1) > 0.03);
}

static void results_are_vectors_where_a_loop_keeps_work_items_from_it(void **state)
{
	(void)state;
	assert_as_written("kernel void k(global const float *a, global float *b, int n)\n"
	                  "{ size_t i = get_global_id(0); float y = 1, x = a[i];\n"
	                  "  for (int k = 0; k < n; k++) y = y * x + 0.5f;\n"
	                  "  b[i] = y; }\n",
	                  WHAT_IF_WIDENED, 8,
	                  "kernel void k(global const float *a, global float *b, int n)\n"
	                  "{ size_t i = get_global_id(0); float8 y = 1, x = vload8(i, a);\n"
	                  "  for (int k = 0; k < n; k++) y = y * x + 0.5f;\n"
	                  "  vstore8(y, i, b); }\n",
	                  launch_1d(MANY / 8, 64));
	/* C reckons shorts as ints, of which a compiler keeps the low bits alone */
	assert_as_written("kernel void k(global const short *a, global short *b, int n)\n"
	                  "{ size_t i = get_global_id(0); short y = 1, x = a[i];\n"
	                  "  for (int k = 0; k < n; k++) y = (short)(y * x + 3);\n"
	                  "  b[i] = y; }\n",
	                  WHAT_IF_WIDENED, 8,
	                  "kernel void k(global const short8 *a, global short8 *b, int n)\n"
	                  "{ size_t i = get_global_id(0); short8 y = 1, x = a[i];\n"
	                  "  for (int k = 0; k < n; k++) y = y * x + (short)3;\n"
	                  "  b[i] = y; }\n",
	                  launch_1d(MANY / 8, 64));
	/* work-items are lanes already */
	assert_false(lists("kernel void k(global const float *a, global float *b)\n"
	                   "{ size_t i = get_global_id(0); b[i] = a[i] * 0.5f; }\n",
	                   WHAT_IF_WIDENED));
}

static bool lists_on(struct device *device, const char *source, struct launch launch,
                     enum what_if_kind kind)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct prediction prediction;
	bool is_listed;

	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	if (kernel->argument_count > 2)
		launch_integer(&launch, SCALAR_INT, MANY);
	prediction = answer_by(kernel, device, &launch,
	                       &(struct prediction_options){.with_what_ifs = true});
	is_listed = found(&prediction, kind, 0) != NULL;
	free(device);
	kernel_free(kernel);
	return is_listed;
}

static struct device *device_without_vectors(void)
{
	struct device *device = device_cpu();

	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			device_set(
			        device,
			        coefficient_op(OP_MODE_VECTOR, (enum type_class)type,
			                       (enum op_class)op),
			        device_value(device,
			                     coefficient_op(OP_MODE_SCALAR, (enum type_class)type,
			                                    (enum op_class)op),
			                     1e-9));
	return device;
}

static void results_are_vectors_where_a_compiler_makes_none(void **state)
{
	static const char floats[] = "kernel void k(global const float *a, global float *b)\n"
	                             "{ size_t i = get_global_id(0); b[i] = a[i] * 0.5f; }\n";
	static const char bytes[] = "kernel void k(global const uchar *a, global uchar *b)\n"
	                            "{ size_t i = get_global_id(0); b[i] = a[i] / 2; }\n";

	(void)state;
	assert_true(
	        lists_on(device_without_vectors(), floats, launch_1d(MANY, 64), WHAT_IF_WIDENED));
	assert_false(lists_on(device_cpu(), floats, launch_1d(MANY, 64), WHAT_IF_WIDENED));
	assert_false(
	        lists_on(device_without_vectors(), bytes, launch_1d(MANY, 64), WHAT_IF_WIDENED));
}

static void more_groups_share_a_loop_by_all_work_items_among_cores(void **state)
{
	static const char source[] =
	        "kernel void k(global const uint *a, global uint *b, int n)\n"
	        "{ uint s = 0; for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
	        "    s += a[i] * a[i];\n"
	        "  atomic_add(b, s); }\n";
	struct device *device = device_cpu();

	(void)state;
	device->compute_units = 16;
	device_set(device, COEFFICIENT_UNITS, 16);
	assert_true(lists_on(device, source, launch_1d(64, 64), WHAT_IF_MORE_GROUPS));
	assert_false(lists_on(device_cpu(), source, launch_1d(MANY, 64), WHAT_IF_MORE_GROUPS));
}

#define SUM(what)                                                                                  \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ size_t i = get_global_id(0); float s = 0;\n"                                            \
	"  for (int k = 0; k < n; k++) " what ";\n"                                                \
	"  b[i] = s; }\n"

static void several_sums_of_a_loop_do_not_wait_for_each_other(void **state)
{
	(void)state;
	assert_as_written(
	        SUM("s += a[i * n + k]"), WHAT_IF_SUMMED, 8,
	        "kernel void k(global const float *a, global float *b, int n)\n"
	        "{ size_t i = get_global_id(0), j = i * n;\n"
	        "  float s = 0, t = 0, u = 0, v = 0, w = 0, x = 0, y = 0, z = 0;\n"
	        "  for (int k = 0; k < n; k += 8)\n"
	        "  { s += a[j + k]; t += a[j + k + 1]; u += a[j + k + 2]; v += a[j + k + 3];\n"
	        "    w += a[j + k + 4]; x += a[j + k + 5]; y += a[j + k + 6]; z += a[j + k + 7]; "
	        "}\n"
	        "  b[i] = s + t + u + v + w + x + y + z; }\n",
	        launch_1d(MANY, 64));
}

#define CHAINS(trips, value)                                                                       \
	SUM("{ float x = a[k * 4096 + i], y = " value ";\n"                                        \
	    "    for (int t = 0; t < " trips "; t++) y = y * x + 0.25f;\n"                         \
	    "    s += y; }")

/* How much longer a change has b written: rows of several accesses are of one name. */
static double writes_with(const char *source, enum what_if_kind kind, const char *row)
{
	struct prediction before = asked(source, launch_1d(MANY, 64),
	                                 &(struct prediction_options){.with_what_ifs = true});
	const struct what_if *what_if = found(&before, kind, 0);
	struct prediction got;

	assert_non_null(what_if);
	got = asked(source, launch_1d(MANY, 64), &(struct prediction_options){.what_if = *what_if});
	return rows_time(&got, row) / rows_time(&before, row);
}

static void what_stands_behind_a_loop_of_several_sums_is_done_once(void **state)
{
	(void)state;
	assert_close(writes_with(SUM("s += a[i * n + k]"), WHAT_IF_SUMMED, "coalesced write of b"),
	             1, 1e-6);
	assert_close(writes_with("kernel void k(global const float *a, global int *b, int n)\n"
	                         "{ size_t i = get_global_id(0); float s = 0;\n"
	                         "  for (int k = 0; k < n; k++) s += a[i * n + k];\n"
	                         "  atomic_add(&b[i], (int)s); }\n",
	                         WHAT_IF_SUMMED, "global atomic on b"),
	             1, 1e-6);
}

static void chains_of_several_iterations_go_on_beside_each_other(void **state)
{
	(void)state;
	assert_as_written(
	        CHAINS("n", "1"), WHAT_IF_SUMMED, 8,
	        "#define CHAIN(s, d) float s##x = a[(k + d) * 4096 + i], s##y = 1;\n"
	        "kernel void k(global const float *a, global float *b, int n)\n"
	        "{ size_t i = get_global_id(0); float s = 0, t = 0, u = 0, v = 0, w = 0, x = 0, y "
	        "= 0, z = 0;\n"
	        "  for (int k = 0; k < n; k += 8) {\n"
	        "    CHAIN(s, 0) CHAIN(t, 1) CHAIN(u, 2) CHAIN(v, 3) CHAIN(w, 4) CHAIN(x, 5) "
	        "CHAIN(y, 6) CHAIN(z, 7)\n"
	        "    for (int j = 0; j < n; j++) {\n"
	        "      sy = sy * sx + 0.25f; ty = ty * tx + 0.25f; uy = uy * ux + 0.25f; vy = vy * "
	        "vx + 0.25f;\n"
	        "      wy = wy * wx + 0.25f; xy = xy * xx + 0.25f; yy = yy * yx + 0.25f; zy = zy * "
	        "zx + 0.25f;\n"
	        "    }\n"
	        "    s += sy; t += ty; u += uy; v += vy; w += wy; x += xy; y += yy; z += zy; }\n"
	        "  b[i] = s + t + u + v + w + x + y + z; }\n",
	        launch_1d(MANY, 64));
	/* of as many steps in each iteration, and none that begins with what was before */
	assert_false(lists(CHAINS("k", "1"), WHAT_IF_SUMMED));
	assert_false(lists(CHAINS("(int)x", "1"), WHAT_IF_SUMMED));
	assert_false(lists(CHAINS("100", "s"), WHAT_IF_SUMMED));
}

static void what_follows_from_a_sum_is_no_sum(void **state)
{
	(void)state;
	assert_true(lists(SUM("s += a[i * n + k] * a[k]"), WHAT_IF_SUMMED));
	assert_false(lists(SUM("s += s * a[i * n + k]"), WHAT_IF_SUMMED));
	assert_false(lists(SUM("s += a[(int)s + k]"), WHAT_IF_SUMMED));
	assert_false(lists(SUM("s = a[i * n + k] - s"), WHAT_IF_SUMMED));
	/* the order of integers' additions is the compiler's to change */
	assert_false(lists("kernel void k(global const int *a, global int *b, int n)\n"
	                   "{ size_t i = get_global_id(0); int s = 0;\n"
	                   "  for (int k = 0; k < n; k++) s += a[i * n + k];\n"
	                   "  b[i] = s; }\n",
	                   WHAT_IF_SUMMED));
}

#define STAGED(store, more, load)                                                                  \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ local float t[128]; size_t i = get_global_id(0), l = get_local_id(0); float s = 0;\n"   \
	"  t[" store "] = a[i]; " more "\n"                                                        \
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"                                                        \
	"  for (int k = 0; k < 16; k++) s += t[" load "];\n"                                       \
	"  b[i] = s; }\n"

static void copies_in_local_memory_are_left_out(void **state)
{
	(void)state;
	assert_as_written(STAGED("l", "if (l < 16) t[l + 64] = a[i + 64];", "l + k"),
	                  WHAT_IF_DIRECT, 0,
	                  "kernel void k(global const float *a, global float *b)\n"
	                  "{ size_t i = get_global_id(0); float s = 0;\n"
	                  "  for (int k = 0; k < 16; k++) s += a[i + k];\n"
	                  "  b[i] = s; }\n",
	                  launch_1d(MANY, 64));
	assert_as_written("kernel void k(global const float *a, global float *b, int n)\n"
	                  "{ local float t[64]; size_t i = get_global_id(0), l = get_local_id(0);\n"
	                  "  float s = 0;\n"
	                  "  for (int f = 0; f < n; f++) {\n"
	                  "    t[l] = a[f * 64 + l]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	                  "    for (int k = 0; k < 64; k++) s += t[k];\n"
	                  "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
	                  "  b[i] = s; }\n",
	                  WHAT_IF_DIRECT, 0,
	                  "kernel void k(global const float *a, global float *b, int n)\n"
	                  "{ size_t i = get_global_id(0); float s = 0;\n"
	                  "  for (int f = 0; f < n; f++)\n"
	                  "    for (int k = 0; k < 64; k++) s += a[f * 64 + k];\n"
	                  "  b[i] = s; }\n",
	                  launch_1d(MANY, 64));
}

static void local_memory_that_holds_more_than_a_copy_is_left_alone(void **state)
{
	(void)state;
	assert_true(lists(STAGED("l", "", "k"), WHAT_IF_DIRECT));
	/* in another order, of two distances, changed, and what is computed */
	assert_false(lists(STAGED("63 - l", "", "k"), WHAT_IF_DIRECT));
	assert_false(lists(STAGED("l", "t[l + 64] = a[i + 96];", "k"), WHAT_IF_DIRECT));
	assert_false(lists(STAGED("l", "t[l + 64] = b[i];", "k"), WHAT_IF_DIRECT));
	assert_false(lists(STAGED("l", "t[l + 64] = a[i] + 1;", "k"), WHAT_IF_DIRECT));
}

static void integers_are_divided_as_floats(void **state)
{
	(void)state;
	assert_as_written("kernel void k(global const uint *a, global uint *b)\n"
	                  "{ size_t i = get_global_id(0); b[i] = a[i] / (a[i + 4096] >> 16); }\n",
	                  WHAT_IF_QUOTIENT, 0,
	                  "kernel void k(global const uint *a, global uint *b)\n"
	                  "{ size_t i = get_global_id(0);\n"
	                  "  b[i] = (uint)((float)a[i] / (float)(a[i + 4096] >> 16)); }\n",
	                  launch_1d(MANY, 64));
	/* shifts and products do as well as vectors; and no float has 64 bits */
	assert_false(lists("kernel void k(global const uint *a, global uint *b)\n"
	                   "{ size_t i = get_global_id(0); b[i] = a[i] / 7; }\n",
	                   WHAT_IF_QUOTIENT));
	assert_false(lists("kernel void k(global const ulong *a, global ulong *b)\n"
	                   "{ size_t i = get_global_id(0); b[i] = a[i] / a[i + 1]; }\n",
	                   WHAT_IF_QUOTIENT));
}

#define WRAPPED(what)                                                                              \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ size_t i = get_global_id(0); float x = a[i], y = b[i]; b[i] = " what "; }\n"

static void remainders_are_arithmetic(void **state)
{
	(void)state;
	assert_as_written(WRAPPED("fmod(x, y)"), WHAT_IF_REMAINDER, 0,
	                  WRAPPED("x - trunc(x / y) * y"), launch_1d(MANY, 64));
	assert_as_written(WRAPPED("remainder(x, 0.7f) + fmod(x, y)"), WHAT_IF_REMAINDER, 0,
	                  WRAPPED("(x - rint(x / 0.7f) * 0.7f) + (x - trunc(x / y) * y)"),
	                  launch_1d(MANY, 64));
	/* what integers leave is no call */
	assert_false(lists(WRAPPED("(int)x % (int)y"), WHAT_IF_REMAINDER));
}

#define RECORD(trips, place, what)                                                                 \
	"kernel void k(global const uchar *a, global uint *b)\n"                                   \
	"{ size_t i = get_global_id(0); uint s = 0;\n"                                             \
	"  for (int k = 0; k < " trips "; k++) s " what " a[" place "];\n"                         \
	"  b[i] = s; }\n"

static void elements_beside_each_other_are_a_vector(void **state)
{
	(void)state;
	assert_as_written(
	        RECORD("16", "i * 16 + k", "+="), WHAT_IF_BESIDE, 16,
	        "kernel void k(global const uchar *a, global uint *b)\n"
	        "{ size_t i = get_global_id(0); uchar16 v = ((global const uchar16 *)a)[i];\n"
	        "  b[i] = (uint)v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7 + v.s8 +\n"
	        "         v.s9 + v.sa + v.sb + v.sc + v.sd + v.se + v.sf; }\n",
	        launch_1d(MANY, 64));
	/* the steps of a chain keep their order */
	assert_true(lists(RECORD("16", "i * 16 + k", "= s * 31 +"), WHAT_IF_BESIDE));
	/* no vector has 5, or elements that lie apart */
	assert_false(lists(RECORD("5", "i * 5 + k", "+="), WHAT_IF_BESIDE));
	assert_false(lists(RECORD("4", "i + k * 4096", "+="), WHAT_IF_BESIDE));
	assert_false(lists(RECORD("4", "a[i * 4 + k]", "+="), WHAT_IF_BESIDE));
}

#define STRIDE(distance)                                                                           \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ size_t i = get_global_id(0);\n"                                                         \
	"  for (int k = 0; k < n; k++) b[k * " distance " + i] = a[k * " distance " + i] * 2; }\n"

static void a_work_item_goes_through_neighbours_where_it_went_by_the_whole_ndrange(void **state)
{
	(void)state;
	assert_true(lists(STRIDE("get_global_size(0)"), WHAT_IF_CHUNKED));
	/* arrays that lie that far apart are data's layout; others are rows of a matrix */
	assert_false(lists(STRIDE("262144"), WHAT_IF_CHUNKED));
	assert_false(lists(STRIDE("(get_global_size(0) + 64)"), WHAT_IF_CHUNKED));
}

#define ESCAPES(start, goes_on, step, result)                                                      \
	"kernel void k(global const float *a, global float *b, int most)\n"                        \
	"{ size_t i = get_global_id(0); " start "\n"                                               \
	"  while (" goes_on ") { " step " }\n"                                                     \
	"  " result " }\n"

#define ESCAPE(goes_on, leaves)                                                                    \
	ESCAPES("float c = a[i], x = 0; int n = 0;", goes_on, leaves " x = x * x + c; n++;",       \
	        "b[i] = x + n;")

/* Results that leave a loop one by one are a vector with a mask of those that have not. */
static void results_that_leave_a_loop_one_by_one_are_a_vector(void **state)
{
	static const char written[] =
	        ESCAPES("float8 c = vload8(i, a), x = 0; int8 n = 0, in = -1; int k = 0;",
	                "k < most && any(in)",
	                "in &= x * x < 4.0f; x = select(x, x * x + c, in); n -= in; k++;",
	                "vstore8(x + convert_float8(n), i, b);");

	(void)state;
	assert_as_written(ESCAPE("n < most && x * x < 4.0f", ""), WHAT_IF_WIDENED, 8, written,
	                  launch_1d(MANY / 8, 64));
	assert_as_written(ESCAPE("n < most", "if (x * x >= 4.0f) break;"), WHAT_IF_WIDENED, 8,
	                  written, launch_1d(MANY / 8, 64));
	/* no counter ends the loop for all */
	assert_false(lists(ESCAPE("x * x < 4.0f", ""), WHAT_IF_WIDENED));
	/* what is loaded or stored in such a loop needs a mask of its own */
	assert_false(lists(ESCAPE("n < most && x * x < 4.0f", "x += a[n];"), WHAT_IF_WIDENED));
	assert_false(lists(ESCAPE("n < most && x * x < 4.0f", "b[n] = x;"), WHAT_IF_WIDENED));
}

#define GROUP_SUM(type, end, step, load, result)                                                   \
	"kernel void k(global const ushort *a, global uint *b, int n)\n"                           \
	"{ local uint s[64]; uint l = get_local_id(0), r = get_group_id(0); " type " sum = 0;\n"   \
	"  for (uint k = l; k < " end "; k += " step ") sum += " load ";\n"                        \
	"  s[l] = " result "; barrier(CLK_LOCAL_MEM_FENCE);\n"                                     \
	"  b[get_global_id(0)] = s[63 - l]; }\n"

static void a_loop_of_sums_loads_vectors(void **state)
{
	struct launch launch = launch_1d(MANY, 64);

	(void)state;
	assert_as_written(SUM("s += a[i * n + k]"), WHAT_IF_STRIP, 4,
	                  "kernel void k(global const float *a, global float *b, int n)\n"
	                  "{ size_t i = get_global_id(0); float4 s = 0;\n"
	                  "  for (int k = 0; k < n; k += 4) s += *(global const float4 *)(a + i * "
	                  "n + k);\n"
	                  "  b[i] = s.x + s.y + s.z + s.w; }\n",
	                  launch);
	/* neighbours of a group lie beside each other, then as before */
	assert_as_written(GROUP_SUM("uint", "4096u", "64", "a[r * 4096 + k]", "sum"), WHAT_IF_STRIP,
	                  4,
	                  GROUP_SUM("uint4", "1024u", "64",
	                            "convert_uint4(((global const ushort4 *)a)[r * 1024 + k])",
	                            "sum.x + sum.y + sum.z + sum.w"),
	                  launch);
	assert_true(lists(GROUP_SUM("uint", "4096u", "get_local_size(0)", "a[r * 4096 + k]", "sum"),
	                  WHAT_IF_STRIP));
	assert_false(
	        lists(GROUP_SUM("uint", "4096u", "32", "a[r * 4096 + k]", "sum"), WHAT_IF_STRIP));
	/* elements apart; one after the other; what the next work-item begins with; a loop that
	 * stores */
	assert_false(lists(SUM("s += a[k * n + i]"), WHAT_IF_STRIP));
	assert_false(lists(SUM("s = s * a[i * n + k] + 1"), WHAT_IF_STRIP));
	assert_false(lists(GROUP_SUM("uint", "4096u + l", "64", "a[r * 4096 + k + k]", "sum"),
	                   WHAT_IF_STRIP));
	assert_false(lists(SUM("{ s += a[i * n + k]; b[k] = 1; }"), WHAT_IF_STRIP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(results_are_vectors_where_a_loop_keeps_work_items_from_it),
	        cmocka_unit_test(results_are_vectors_where_a_compiler_makes_none),
	        cmocka_unit_test(more_groups_share_a_loop_by_all_work_items_among_cores),
	        cmocka_unit_test(several_sums_of_a_loop_do_not_wait_for_each_other),
	        cmocka_unit_test(what_stands_behind_a_loop_of_several_sums_is_done_once),
	        cmocka_unit_test(chains_of_several_iterations_go_on_beside_each_other),
	        cmocka_unit_test(what_follows_from_a_sum_is_no_sum),
	        cmocka_unit_test(integers_are_divided_as_floats),
	        cmocka_unit_test(remainders_are_arithmetic),
	        cmocka_unit_test(elements_beside_each_other_are_a_vector),
	        cmocka_unit_test(
	                a_work_item_goes_through_neighbours_where_it_went_by_the_whole_ndrange),
	        cmocka_unit_test(copies_in_local_memory_are_left_out),
	        cmocka_unit_test(results_that_leave_a_loop_one_by_one_are_a_vector),
	        cmocka_unit_test(a_loop_of_sums_loads_vectors),
	        cmocka_unit_test(local_memory_that_holds_more_than_a_copy_is_left_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
