/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses whose address data alone bound, and private arrays that end too soon. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/unbound.h"
#include "tests/unit/predict/core.h"

static bool has_unbound(const char *body)
{
	char source[1024];
	bool is_unbound[32], is_any = false;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global int *d, global const float *r, "
	               "global const uchar *u, int n) { int i = get_global_id(0); %s }",
	               body);
	struct ir_kernel *kernel = analyse(source, "");
	assert_true(kernel->access_count <= 32);
	assert_true(unbound_find(kernel, is_unbound));
	for (uint32_t i = 0; i < kernel->access_count; i++)
		is_any |= is_unbound[i];
	kernel_free(kernel);
	return is_any;
}

static void bodies_check(const char *const *bodies, bool is_unbound)
{
	for (; *bodies != NULL; bodies++)
		if (has_unbound(*bodies) != is_unbound)
			fail_msg("%s: want %s", *bodies, is_unbound ? "unbound" : "bound");
}

static void reals_that_become_an_index_need_bounds_on_both_sides(void **state)
{
	static const char *const unbound[] = {
	        "a[(int)(r[i] * 16)] = 0;",
	        "a[(int)floor(r[i] * 16)] = 0;",
	        "a[min((int)r[i], n)] = 0;",
	        "a[max((int)r[i], 0)] = 0;",
	        "a[n - max((int)r[i], 0)] = 0;",
	        "a[clamp((int)r[i], 0, n) + (int)r[i + 1]] = 0;",
	        "float h[4] = {0}; h[(int)r[i]] = 1; a[i] = h[i & 3];",
	        "d[i] = (int)r[i]; a[d[i]] = 0;",
	        NULL};
	static const char *const bound[] = {"a[clamp((int)(r[i] * 16), 0, n)] = 0;",
	                                    "a[max(0, min((int)r[i], n))] = 0;",
	                                    "a[n - clamp((int)r[i], 0, n)] = 0;",
	                                    "a[(int)clamp(r[i] * 16, 0.0f, 15.0f)] = 0;",
	                                    "a[(int)fmax(fmin(r[i], 15.0f), 0.0f)] = 0;",
	                                    "a[(int)r[i] & 255] = 0;",
	                                    "a[(uint)r[i] % 64u] = 0;",
	                                    "a[r[i] > 0.5f] = 0;",
	                                    "a[r[i] > 0.5f ? n : 0] = 0;",
	                                    "a[(int)((sin(r[i]) + 1) * n)] = 0;",
	                                    "a[i] = r[i] * 16;",
	                                    "a[(int)(sqrt((float)n))] = 0;",
	                                    NULL};
	(void)state;
	bodies_check(unbound, true);
	bodies_check(bound, false);
}

static void integers_from_memory_are_indices(void **state)
{
	static const char *const bound[] = {"a[d[i]] = 0;", "atomic_inc(&d[u[i]]);",
	                                    "for (int k = d[i]; k < d[i + 1]; k++) a[k] = r[d[k]];",
	                                    "a[atomic_inc(&d[0])] = 0;", NULL};
	(void)state;
	bodies_check(bound, false);
}

static void a_counter_needs_a_loop_that_more_than_data_end(void **state)
{
	static const char *const unbound[] = {
	        "global int *p = d + i; float s = 0; while (*p != 77) s += *p++; a[i] = s;",
	        "int k = 0; while (d[k] != 77) k++; a[i] = k;",
	        "int k = 0; for (;;) { if (i < n) if (d[k] == 7) break; k++; } a[i] = k;",
	        "int k = 0; while (d[k] == 0) k++; a[i] = k;",
	        "int k = 0; do k++; while (r[k] < 0.5f); a[i] = k;",
	        NULL};
	static const char *const bound[] = {
	        "int k = 0; while (k < n && d[k] != 77) k++; a[i] = k;",
	        "int k = 0; while (d[k] != 77 && k < n) k++; a[i] = k;",
	        "for (int k = 0; k < n; k++) a[k] = d[k];",
	        "int k = 0; while (d[k]) k++; a[i] = k;",
	        "int k = 0; while (u[k] != 0) k++; a[i] = k;",
	        "int k = 0; for (; u[k] > 0; k++); a[i] = k;",
	        "int k = 0; for (;;) { if (!d[k]) break; k++; } a[i] = k;",
	        "int k = 0; for (;;) { if (k >= d[0]) break; k++; } a[k] = 0;",
	        "int k = 0; for (;;) { if (k == n) return; a[k++] = 0; }",
	        "int k = i & 63; while (d[k] != 0) k = (k + 1) & 63; a[k] = 0;",
	        NULL};
	(void)state;
	bodies_check(unbound, true);
	bodies_check(bound, false);
}

static void an_answer_doubts_what_it_reaches_of_them(void **state)
{
	struct device *device = device_cpu();
	struct prediction p = source_answer("kernel void f(global float *a, global float *r) {\n"
	                                    "a[(int)r[get_global_id(0)]] = 0; }",
	                                    device, 1024, 64);

	(void)state;
	assert_string_equal(p.doubt,
	                    "a: where line 2 accesses it hangs on data that nothing bounds");
	assert_string_equal(p.warning, "");
	p = source_answer("kernel void f(global float *a, global float *r, int n) {\n"
	                  "if (n == 0) a[(int)r[get_global_id(0)]] = 0; }",
	                  device, 1024, 64);
	assert_string_equal(p.doubt, ""); /* it is not reached */
	free(device);
}

/* On a GPU addresses of private arrays are those of all lanes. */
static void a_private_array_that_ends_too_soon_is_warned_of_on_a_cpu(void **state)
{
	static const char *const source = "kernel void f(global float *a) { float t[%d];\n"
	                                  "int i = get_global_id(0), n = get_local_size(0);\n"
	                                  "for (int k = 0; k < n; k++) t[k] = a[i + k];\n"
	                                  "a[i] = t[i & 7]; }";
	static const struct {
		int elements;
		bool is_cpu;
		const char *warning;
	} cases[] = {{64, true, ""}, {64, false, ""}, {8, true, "array t: line 3 reaches byte "}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct device *device = cases[i].is_cpu ? device_cpu() : device_gpu();
		char text[512];

		(void)snprintf(text, sizeof text, source, cases[i].elements);
		struct prediction p = source_answer(text, device, 1024, 64);
		/* iterations are sampled, so the byte is not the last */
		assert_int_equal(strncmp(p.warning, cases[i].warning, 28), 0);
		free(device);
	}
}

static void three_elements_are_reached_by_vload3(void **state)
{
	struct device *device = device_cpu();
	struct prediction p =
	        source_answer("kernel void f(global float *a) { float t[6];\n"
	                      "vstore3(vload3(0, a), 1, t); a[get_global_id(0)] = t[4]; }",
	                      device, 1024, 64);

	(void)state;
	assert_string_equal(p.warning, "");
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reals_that_become_an_index_need_bounds_on_both_sides),
	        cmocka_unit_test(integers_from_memory_are_indices),
	        cmocka_unit_test(a_counter_needs_a_loop_that_more_than_data_end),
	        cmocka_unit_test(an_answer_doubts_what_it_reaches_of_them),
	        cmocka_unit_test(a_private_array_that_ends_too_soon_is_warned_of_on_a_cpu),
	        cmocka_unit_test(three_elements_are_reached_by_vload3),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("unbound", tests, NULL, NULL);
}
