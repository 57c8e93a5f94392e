/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's text says of its sizes. */
#include "tests/test.h"

#include <stdio.h>

#include "client/predictctl/form.h"

static const uint64_t global[3] = {64, 32, 1}, local[3] = {8, 4, 1};

static struct scope *scope_of(const char *text, const char *options, const char *kernel)
{
	struct scope *scope = scope_new(text, options, kernel);
	assert_non_null(scope);
	scope_range(scope, global, local);
	scope_set(scope, "w", 64);
	scope_set(scope, "n", 10);
	scope_read(scope);
	return scope;
}

static void a_guard_bounds_a_scalar_by_an_id(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		unsigned dimension;
		double factor; /* 0: there is no guard */
	} cases[] = {
	        {"size_t i = get_global_id(0); if (i < m) a[i] = 0;", 0, 1},
	        {"const int y = (int)get_global_id(1); if (y >= m) return;", 1, 1},
	        {"if (m > get_global_id(0)) a[0] = 1;", 0, 1},
	        {"int i = get_global_id(0); if (i + 1 < m - 1 && n > 2) a[i] = 0;", 0, 1},
	        {"int i = get_global_id(0) * 4; if (i + 3 < m) a[i] = 0;", 0, 4},
	        {"int i = get_global_id(0) << 2; if (i < m) a[i] = 0;", 0, 4},
	        {"int i = get_group_id(0) * get_local_size(0) + get_local_id(0); if (i < m) ;", 0,
	         1},
	        {"int i = mad24(get_group_id(1), (uint)get_local_size(1), get_local_id(1));"
	         "int j = i; if (j < m) ;",
	         1, 1},
	        {"for (int k = 0; k < m; k++) a[k] = 0;", 0, 0},
	        {"int i = get_global_id(0); if (i < m * n) a[i] = 0;", 0, 0},
	        {"int i = a[get_global_id(0)]; if (i < m) a[i] = 0;", 0, 0},
	        {"int i = get_global_id(0); /* if (i < m) */ a[i] = m;", 0, 0},
	        {"int i = get_local_id(0); if (i < m) a[i] = 0;", 0, 0},
	        {"int i = get_global_id(0); a[i] = i << m;", 0, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[512];
		unsigned dimension = 9;
		double factor = 0;
		(void)snprintf(text, sizeof text,
		               "kernel void k(global int *a, int m, int n) { %s }", cases[i].body);
		struct scope *scope = scope_of(text, "", "k");
		bool is_found = scope_guard(scope, "m", &dimension, &factor);
		if (is_found != (cases[i].factor > 0))
			fail_msg("%s", cases[i].body);
		if (is_found) {
			assert_int_equal(dimension, cases[i].dimension);
			assert_close(factor, cases[i].factor, 0);
		}
		scope_free(scope);
	}
}

static void a_bound_counts_where_all_begin_at_one_number(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		unsigned counts;
	} cases[] = {
	        {"for (int j = 0; j < m; j++) for (int k = 0; k < m; k++) a[k] = 0;", 2},
	        {"for (int k = 0; k < m; k++) a[k] = 0;", 1},
	        {"int k = 1; do { a[k] = 0; k++; } while (k < m);", 1},
	        {"for (int k = get_global_id(0); k < m; k += get_global_size(0)) a[k] = 0;", 0},
	        {"int i = get_global_id(0); if (i < m) a[i] = 0;", 0},
	        {"for (int k = 0; a[k] < m; k++) a[k] = 0;", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[512];
		(void)snprintf(text, sizeof text, "kernel void k(global int *a, int m) { %s }",
		               cases[i].body);
		struct scope *scope = scope_of(text, "", "k");
		if (scope_counts(scope, "m") != cases[i].counts)
			fail_msg("%s", cases[i].body);
		scope_free(scope);
	}
}

static void a_buffer_is_reached_as_far_as_its_indices(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		double reach;
	} cases[] = {
	        {"int i = get_global_id(0); a[3 * i] = a[3 * i + 2];", 192},
	        {"int x = get_global_id(0), y = get_global_id(1); a[y * w + x] = 0;", 2048},
	        {"int o = 3 * (get_global_id(1) * w + get_global_id(0)); a[o + 2] = 0;", 6144},
	        {"for (int k = 0; k < n; k++) a[get_global_id(0) * n + k] = 0;", 640},
	        {"for (int k = n; k >= 2; k--) a[k] = 0;", 11},
	        {"for (int k = 1; k <= n; k++) a[k] = 0;", 11},
	        {"a[get_global_size(0) + get_group_id(0)] = 0;", 72},
	        {"a[get_global_id(0) % 7] = 0; a[get_global_id(0) / 4] = 1;", 16},
	        {"a[get_global_id(0) - 1] = 0;", 63},
	        {"a[63 - (int)get_global_id(0)] = 0;", 64},
	        {"a[W * get_global_id(0)] = 0;", 946},
	        {"a[FROM + get_local_id(1)] = 0;", 9},
	        {"int q = 0; a[get_global_id(0) * 16 + q++] = 0;", 1024},
	        {"a[get_global_id(0) * 16 + a[0]] = 0;", 1024},
	        {"a[get_global_id(0) + a[0]] = 0;", 1}, /* of the inner one */
	        {"int4 v = vload4(get_global_id(0), a);", 256},
	        {"int i = get_global_id(0); vstore3((int3)(1, 2, i), (2 * i + 1), a);", 384},
	        {"vstore2(vload2(3, b), 7, a); f(1, a); (0, a);", 16},
	        {"a[a[get_global_id(0)]] = 0;", 64}, /* of the outer one nothing is known */
	        {"a[f(get_global_id(0))] = 0;", 0},
	        {"a[] = 0; a[(] = 0; a[1 +] = 0; a[0x] = 0;", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[512];
		(void)snprintf(text, sizeof text,
		               "#define FROM \\\n (2 + 3) // five\n#define W 16\n"
		               "void k(int);\nkernel void k(global int *a) { %s }",
		               cases[i].body);
		struct scope *scope = scope_of(text, "-D W=15 -DX", "k");
		if (scope_reach(scope, "a") != cases[i].reach)
			fail_msg("%s: %g, want %g", cases[i].body, scope_reach(scope, "a"),
			         cases[i].reach);
		scope_free(scope);
	}
}

static void a_local_array_was_made_for_a_group(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		uint64_t local[3];
	} cases[] = {
	        {"local float t[B][B]; int i = get_local_id(0), j = get_local_id(1); t[j][i] = 0;",
	         {16, 16, 0}},
	        {"local float t[B][B + 1]; t[get_local_id(1)][get_local_id(0)] = 0;", {16, 16, 0}},
	        {"__local float s, t[B * B]; int i = get_local_id(0), j = get_local_id(1);"
	         "t[j * B + i] = 0;",
	         {16, 16, 0}},
	        {"local int t[10][10]; int i = get_local_id(0) + 1, j = get_local_id(1) + 1;"
	         "t[j][i] = t[j + 1][i] + t[j][i + 1];",
	         {8, 8, 0}},
	        {"local int t[12]; t[get_local_id(0)] = 0;", {12, 0, 0}},
	        {"local int t[2 * B]; int l = get_local_id(0); t[l] = 0; t[l + B] = 0;",
	         {16, 0, 0}},
	        {"local int t[B]; for (int k = 0; k < B; k++) t[k] = 0;", {0, 0, 0}},
	        {"local int *t = p; t[get_local_id(0)] = 0;", {0, 0, 0}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[512];
		uint64_t got[3];
		(void)snprintf(text, sizeof text,
		               "#define B 16\nkernel void k(local int *p) { %s }", cases[i].body);
		struct scope *scope = scope_of(text, "", "k");
		scope_tile(scope, got);
		for (unsigned d = 0; d < 3; d++)
			if (got[d] != cases[i].local[d])
				fail_msg("%s: dimension %u: %u, want %u", cases[i].body, d,
				         (unsigned)got[d], (unsigned)cases[i].local[d]);
		scope_free(scope);
	}
}

static void a_text_without_the_kernel_has_no_scope(void **state)
{
	(void)state;
	assert_null(scope_new("", "", "k"));
	assert_null(scope_new("kernel void k(", "", "k"));
	assert_null(scope_new("kernel void k();", "", "k"));
	scope_free(NULL);
}

static void macros_of_macros_end(void **state)
{
	(void)state;
	char text[2048] = "";
	size_t used = 0;
	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "#define M%d M%d + M%d\n",
		                         i, i + 1, i + 1);
	(void)snprintf(text + used, sizeof text - used,
	               "#define X X\nkernel void k(global int *a) { a[M0] = a[X]; a[3] = 0; }");
	struct scope *scope = scope_of(text, "", "k");
	assert_close(scope_reach(scope, "a"), 4, 0);
	scope_free(scope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_guard_bounds_a_scalar_by_an_id),
	        cmocka_unit_test(a_bound_counts_where_all_begin_at_one_number),
	        cmocka_unit_test(a_buffer_is_reached_as_far_as_its_indices),
	        cmocka_unit_test(a_local_array_was_made_for_a_group),
	        cmocka_unit_test(a_text_without_the_kernel_has_no_scope),
	        cmocka_unit_test(macros_of_macros_end),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
