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

/* d holds 0 to 255, and is the only buffer of integers. */
static struct scope *scope_of_data(const char *body)
{
	static const char *const head = "constant float table[16] = {0};"
	                                "kernel void k(global int *d, global float *a, int n) { "
	                                "size_t i = get_global_id(0);";
	char text[1024];
	(void)snprintf(text, sizeof text, "%s %s }", head, body);
	struct scope *scope = scope_new(text, "", "k");
	assert_non_null(scope);
	scope_range(scope, global, local);
	scope_set(scope, "n", 10);
	scope_data(scope, "d", 0, 7);
	scope_data(scope, "d", 0, 255); /* the last one holds */
	scope_read(scope);
	return scope;
}

static void what_memory_holds_reaches_as_far_as_its_range(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		double reach;
	} cases[] = {
	        {"a[d[i]] = 0;", 256},
	        {"a[2 * d[i] + 1] = 0;", 512},
	        {"int at = d[i]; a[at + i] = 0;", 255 + 64},
	        {"a[d[i] & 15] = 0;", 16},
	        {"a[15 & d[i]] = 0;", 16},
	        {"a[d[i] % 20] = 0;", 20},
	        {"a[min(d[i], 30)] = 0;", 31},
	        {"a[max(d[i], 30)] = 0;", 256},
	        {"a[clamp(d[i], 4, 8)] = 0;", 9},
	        {"for (int k = d[i]; k < d[i + 1]; k++) a[k] = 0;", 255},
	        {"for (int k = 0; k < 4; k++) a[k] = 0; for (int k = 8; k < 20; k++) a[k] = 0;",
	         20},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct scope *scope = scope_of_data(cases[i].body);
		if (scope_reach(scope, "a") != cases[i].reach)
			fail_msg("%s: %g, want %g", cases[i].body, scope_reach(scope, "a"),
			         cases[i].reach);
		scope_free(scope);
	}
}

static void an_index_without_a_bound_is_open(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		bool is_open;
	} cases[] = {
	        {"a[i] = d[i];", false},
	        {"a[d[i]] = 0;", false},
	        {"float t[256]; t[d[i]] = 0;", false},
	        {"for (int k = d[i]; k < d[i + 1]; k++) a[k] = 0;", false},
	        {"for (int k = 0; k < n; k++) a[k] = d[k]; for (int k = 0; k < 4; k++) a[k] = 0;",
	         false},
	        /* beyond an array of the kernel's own, or of the program's */
	        {"float t[255]; t[d[i]] = 0;", true},
	        {"a[i] = table[d[i]];", true},
	        {"a[i] = table[d[i] & 15];", false},
	        /* an unsigned difference may be far above zero */
	        {"uint k = d[i + 1] - d[i]; for (uint j = 0; j < k; j++) a[j] = 0;", true},
	        {"int k = d[i + 1] - d[i]; for (int j = 0; j < k; j++) a[j] = 0;", false},
	        {"uint k = d[i] + 4; for (uint j = 0; j < k; j++) a[j] = 0;", false},
	        /* counters that go on as data say */
	        {"int k = 0; while (d[k] > 0) k++;", true},
	        {"int k = 0; while (k < d[i]) a[k++] = 0;", true},
	        {"int k = d[i], j = k + 1; k += 4; a[j] = 0;", true},
	        {"int k = 0; for (;;) { k = k + d[i]; a[k] = 0; }", true},
	        {"int k = 0; set(&k, d[i]); a[k] = 0;", true},
	        {"for (int k = 0; k != d[i]; k++) a[k] = 0;", true},
	        /* where a pointer goes nobody follows */
	        {"global int *p = d + i; a[i] = *p;", true},
	        {"a[i] = sum(d, n);", true},
	        {"a[i] = 0;", true}, /* macros name it, if anything does */
	        {"a[f(d[i])] = 0;", true},
	};
	static const char *const names[] = {"d"};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct scope *scope = scope_of_data(cases[i].body);
		if (scope_is_open(scope, names, 1) != cases[i].is_open)
			fail_msg("%s: want %s", cases[i].body, cases[i].is_open ? "open" : "not");
		scope_free(scope);
	}
}

static void arrays_of_a_work_item_are_counted(void **state)
{
	static const struct {
		const char *body;
		double elements;
	} cases[] = {
	        {"float t[4]; int s[2][8]; t[0] = d[i];", 20},
	        {"local float t[64]; t[i] = 0;", 0},
	        {"__local int s[4], t[64]; t[i] = 0;", 0},
	        {"const float t[3] = {0}; float *p = t, q[5]; q[i] = 0;", 3},
	        {"float t[n]; t[i] = 0;", 10},
	        {"float c, s, *p = a, t[6]; c = 1, t[2] = 0;", 6},
	        {"set(a, t[2]);", 0},
	        {"float t[d[0]];", 0},
	        {"return a[2];", 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct scope *scope = scope_of_data(cases[i].body);
		if (scope_private(scope) != cases[i].elements)
			fail_msg("%s: want %g, got %g", cases[i].body, cases[i].elements,
			         scope_private(scope));
		scope_free(scope);
	}
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
	        cmocka_unit_test(what_memory_holds_reaches_as_far_as_its_range),
	        cmocka_unit_test(an_index_without_a_bound_is_open),
	        cmocka_unit_test(arrays_of_a_work_item_are_counted),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
