/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that a source puts together component by component, on a CPU. */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/unit/predict/core.h"

static struct prediction ask(const char *source)
{
	struct device *device = core();
	struct prediction p;

	device_make_scalar(device);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return p;
}

#define OF(type, body)                                                                             \
	"kernel void f(global " type " *x, global " type " *y)"                                    \
	"{ size_t i = get_global_id(0); " type " v = y[i], w = x[i]; " body " y[i] = v; }"

static bool has_moves(const char *source)
{
	struct prediction p = ask(source);

	return row_find(&p, "moves of a vector's parts") != NULL;
}

static void parts_that_are_reckoned_alike_are_one_vector(void **state)
{
	double whole = ask(OF("float4", "v += 1.5f * w;")).kernel_time_s;

	(void)state;
	assert_false(has_moves(OF("float4", "v.x += 1.5f * w.x; v.y += 1.5f * w.y;"
	                                    "v.z += 1.5f * w.z; v.w += 1.5f * w.w;")));
	assert_close(ask(OF("float4", "v.x += 1.5f * w.x; v.y += 1.5f * w.y;"
	                              "v.z += 1.5f * w.z; v.w += 1.5f * w.w;"))
	                     .kernel_time_s,
	             whole, 0.01);
	/* operands of a sum or a product may change places */
	assert_close(ask(OF("float4", "v.x = w.x * 1.5f + v.x; v.y = v.y + 1.5f * w.y;"
	                              "v.z = 1.5f * w.z + v.z; v.w = v.w + w.w * 1.5f;"))
	                     .kernel_time_s,
	             whole, 0.01);
	assert_close(ask(OF("float4", "v = (float4)(v.x + 1.5f * w.x, v.y + 1.5f * w.y,"
	                              " v.z + 1.5f * w.z, v.w + 1.5f * w.w);"))
	                     .kernel_time_s,
	             whole, 0.01);
	assert_false(has_moves(OF("int4", "v.x = v.x - (w.x & 3); v.y = v.y - (w.y & 5);"
	                                  "v.z = v.z - (w.z & 7); v.w = v.w - (w.w & 9);")));
}

#define LOOP(body) "for (int k = 0; k < 16; k++) { w = x[(i + k) & 65535]; " body " }"

static void a_loop_keeps_a_vector_whole_whose_parts_are_reckoned_alike(void **state)
{
	const char *parts = OF("float4", LOOP("v.x += 1.5f * w.x; v.y += 1.5f * w.y;"
	                                      "v.z += 1.5f * w.z; v.w += 1.5f * w.w;"));

	(void)state;
	assert_false(has_moves(parts));
	assert_close(ask(parts).kernel_time_s,
	             ask(OF("float4", LOOP("v += 1.5f * w;"))).kernel_time_s, 0.02);
	assert_true(has_moves(OF("float4", LOOP("v.x += 1.5f * w.x; v.y *= w.y;"
	                                        "v.z = fmax(w.z, v.z); v.w -= w.w;"))));
	/* one that ends the loop has to come out */
	assert_true(has_moves(OF("float4", LOOP("v.x += 1.5f * w.x; v.y += 1.5f * w.y;"
	                                        "v.z += 1.5f * w.z; v.w += 1.5f * w.w;"
	                                        "if (v.x > 9) break;"))));
}

static void parts_that_are_reckoned_each_in_its_way_go_out_and_in(void **state)
{
	(void)state;
	assert_true(has_moves(OF("float4", "v.x += w.x; v.y *= w.y; v.z -= 2 * w.z;"
	                                   "v.w = fmax(v.w, w.w);")));
	/* one of them is needed by itself, too */
	assert_true(
	        has_moves(OF("float4", "v.x += 1.5f * w.x; v.y += 1.5f * w.y; v.z += 1.5f * w.z;"
	                               "v.w += 1.5f * w.w; ((global float *)x)[9 * i] = w.y;")));
	/* two of four */
	assert_true(has_moves(OF("float4", "v.x += w.x; v.y += w.y;")));
	/* a pair of words is no register's worth */
	assert_true(has_moves(OF("float2", "v.x += 1.5f * w.x; v.y += 1.5f * w.y;")));
	/* no order of components that one vector has */
	assert_true(has_moves(OF("float4", "v.x += w.x * v.w; v.y += w.z * w.y;"
	                                   "v.z += v.y * w.x; v.w += w.x * w.w;")));
}

static double moves_of(const char *source, struct device *device)
{
	struct prediction p = source_answer(source, device, ITEMS, 64);

	free(device);
	return row_count(&p, "moves of a vector's parts");
}

#define WHEREVER(type)                                                                             \
	"kernel void f(global " type " *x, global " type " *y)"                                    \
	"{ size_t i = get_global_id(0); vstore8(vload8(i, x) + vload8(i, y), i, y); }"

static void narrow_vectors_that_lie_anywhere_go_in_by_pairs_and_out_one_by_one(void **state)
{
	struct device *device = core();

	(void)state;
	device_make_scalar(device);
	assert_close(moves_of(WHEREVER("uchar"), device), 4 + 4 + 8, 1e-6);
	device = core();
	device_make_scalar(device);
	assert_close(moves_of(WHEREVER("float"), device), 0, 1e-6);
	/* vectorisers put a load together again */
	assert_close(moves_of(WHEREVER("uchar"), core()), 8, 1e-6);
	assert_false(has_moves(OF("uchar8", "v += w;")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts_that_are_reckoned_alike_are_one_vector),
	        cmocka_unit_test(a_loop_keeps_a_vector_whole_whose_parts_are_reckoned_alike),
	        cmocka_unit_test(parts_that_are_reckoned_each_in_its_way_go_out_and_in),
	        cmocka_unit_test(
	                narrow_vectors_that_lie_anywhere_go_in_by_pairs_and_out_one_by_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("superword", tests, NULL, NULL);
}
