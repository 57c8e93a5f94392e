/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libclang's cursors leave out and the text still says: the parts of a for, the names of
 * vector components, attributes and hints; also where comments, strings and macros hide them.
 */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void parts_of_a_for_are_found_in_any_text(void **state)
{
	static const char plain[] = "for (int k = 0; k < n;) { b[k] = 1; k++; }";
	static const struct form forms[] = {
	        {NULL, "for (int k = 0; /* ( * ; ** */ k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = 0; // ; )\n k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = 0; k < n \\\n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for\n\t (int k = 0; k < n; /**/) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = '\\'' - 39; k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = sizeof(\"\\\";)\") - 4; k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = ((0)); (k < (n));) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = ({ 0; }); k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = 4 / 8; k < n;) { b[k] = 1; k++; }", plain},
	        {NULL, "for (int k = 0; k < b[(1)];) { k++; c[k] = 1; }",
	         "int k = 0; while (k < b[1]) { k++; c[k] = 1; }"},
	        {"#define FOR for", "FOR (int k = 0; k < n;) { b[k] = 1; k++; }", plain},
	        {"#define HEAD (int k = 0; k < n;)", "for HEAD { b[k] = 1; k++; }", plain},
	        {"#define NAME(x) x ## r", "NAME(fo) (int k = 0; k < n;) { b[k] = 1; k++; }",
	         plain},
	        {"#define FOR for",
	         "FOR (int k = 0; k < n;) { FOR (int j = 0;; j++) { if (j > k) break; b[j] = k; } "
	         "k++; }",
	         "for (int k = 0; k < n;) { for (int j = 0;; j++) { if (j > k) break; b[j] = k; } "
	         "k++; }"},
	        {"#define FOR for\nint before(int n) { FOR (; n < 9;) n += 2; return n; }",
	         "b[i] = before(n); FOR (; n > 0;) { b[n] = 1; n--; }",
	         "b[i] = before(n); for (; n > 0;) { b[n] = 1; n--; }"},
	        {"#define FOR for",
	         "printf(\"for (;;) \\\" for (;\"); FOR (int k = 0; k < n;) { b[k] = 'r'; k++; }",
	         "printf(\"\"); for (int k = 0; k < n;) { b[k] = 'r'; k++; }"},
	        {"#define FOR for", "FOR (;;) { if (n-- < 0) break; b[n] = 1; }",
	         "for (;;) { if (n-- < 0) break; b[n] = 1; }"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

static void components_have_their_names_in_any_text(void **state)
{
	static const struct form forms[] = {
	        {NULL, "v[i] = v[n].S3210;", "v[i] = v[n].wzyx;"},
	        {NULL, "v[i].rgba = v[n].abgr;", "v[i].xyzw = v[n].wzyx;"},
	        {NULL, "v[i] = v[n].even.xyxy;", "v[i] = v[n].xzxz;"},
	        {NULL, "float3 q = v[n].xyz; v[i].xy = q.hi;",
	         "float3 q = v[n].xyz; v[i].xy = q.zz;"},
	        {NULL,
	         "float16 q = (float16)(v[i], v[n], v[i], v[n]); v[i] = q.sAbCd; v[n] = q.sF19e;",
	         "float16 q = (float16)(v[i], v[n], v[i], v[n]); v[i] = q.sabcd; v[n] = "
	         "q.sf19E;"},
	        {"#define XY .xy", "v[i] XY = v[n] XY;", "v[i].xy = v[n].xy;"},
	        {"#define XY xy", "v[i].XY = v[n].XY;", "v[i].xy = v[n].xy;"},
	        {"#define ZW zw\n#define XY xy", "global float4 *p = v + i; p->ZW = p->XY;",
	         "v[i].zw = v[i].xy;"},
	        {"#define GET(v, c) v.c", "v[i] = GET(v[n], wzyx); a[i] = GET(v[n], y);",
	         "v[i] = v[n].wzyx; a[i] = v[n].y;"},
	        {"#define LANE(v, k) v.s##k", "a[i] = LANE(v[n], 2) * LANE(v[n], 0);",
	         "a[i] = v[n].z * v[n].x;"},
	        {"#define XY xy",
	         "printf(\"%d. a.b \\\" -> .xy\", 1.5e+3f, '\\'', .5f, 1e-3f, 0x1p+3f); v[i].XY = "
	         "v[n].XY "
	         "* 1.5e+3f - .25f - u - -n;",
	         "printf(\"\", 1, 2, 3, 4, 5); v[i].xy = v[n].xy * 1500 - .25f - u - -n;"},
	        {"#define XY xy\nstruct p { float4 at; float a_rather_long_name_of_a_member; };",
	         "struct p p = {v[n], x}; v[i].XY = p.at.XY; a[i] = "
	         "p.a_rather_long_name_of_a_member;",
	         "v[i].xy = v[n].xy; a[i] = x;"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

static void required_sizes_are_read_in_any_spelling(void **state)
{
	static const struct {
		const char *attribute;
		uint32_t sizes[3];
	} rows[] = {
	        {"__attribute__((reqd_work_group_size(8, 4, 2)))", {8, 4, 2}},
	        {"__attribute__((__reqd_work_group_size__(8, 4, 2)))", {8, 4, 2}},
	        {"__attribute__((reqd_work_group_size( 8u , 4U,\n2 )))", {8, 4, 2}},
	        {"__attribute__((reqd_work_group_size(0x10, 1, 1)))", {16, 1, 1}},
	        {"__attribute__((reqd_work_group_size(4 * 4, 2 + 1, 1)))", {16, 3, 1}},
	        {"__attribute__((reqd_work_group_size(64, 1, 1), vec_type_hint(float4)))",
	         {64, 1, 1}},
	        {"__attribute__((work_group_size_hint(8, 8, 1)))", {0, 0, 0}},
	        {"SIZE", {16, 16, 1}},
	        {"__attribute__((reqd_work_group_size(W, W, 1)))", {16, 16, 1}},
	        {"SIZED(32)", {32, 1, 1}},
	        {"OPTION", {4, 2, 1}}, /* of the build options */
	        {"__attribute__((vec_type_hint(V))) OPTION", {4, 2, 1}},
	};
	static const char options[] =
	        "-DOPTION=__attribute__((reqd_work_group_size(4,2,1))) -DV=float4";
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char source[400];
		(void)snprintf(source, sizeof source,
		               "#define W 16\n#define SIZE __attribute__((reqd_work_group_size(W, "
		               "W, 1)))\n"
		               "#define SIZED(n) __attribute__((reqd_work_group_size(n, 1, 1)))\n"
		               "__kernel %s void f(global int *a) { a[0] = 1; }",
		               rows[i].attribute);
		struct ir_kernel *kernel = analyse(source, options);
		for (unsigned d = 0; d < 3; d++)
			if (kernel->required_local[d] != rows[i].sizes[d])
				fail_msg("%s: %u in dimension %u", rows[i].attribute,
				         kernel->required_local[d], d);
		kernel_free(kernel);
	}
}

static void kernels_are_known_by_their_attribute_alone(void **state)
{
	static const char *const sources[] = {
	        "kernel void f(global int *a) { a[0] = 1; }",
	        "__kernel void f(global int *a) { a[0] = 1; }",
	        "__attribute__((always_inline)) __kernel void f(global int *a) { a[0] = 1; }",
	        "#define ENTRY kernel void\nENTRY f(global int *a) { a[0] = 1; }",
	        "#define JOIN(a, b) a ## b\nJOIN(ker, nel) void f(global int *a) { a[0] = 1; }",
	        "#define JOIN(a, b) a ## b\nJOIN(__ker, nel) void f(global int *a) { a[0] = 1; }",
	        "void kernel_like(global int *a) { a[0] = 2; } kernel void f(global int *a) { a[0] "
	        "= 1; "
	        "}",
	        "void f(global int *a);\nkernel void f(global int *a) { a[0] = 1; }",
	};
	struct error error;
	(void)state;
	for (size_t i = 0; i < COUNT(sources); i++) {
		struct ir_kernel *kernel = analyse(sources[i], NULL);
		assert_string_equal(kernel->name, "f");
		assert_text(kernel, "store int a[0] = 1");
		kernel_free(kernel);
	}
	assert_int_equal(
	        analyse_status("void kernel_like(global int *a) { a[0] = 2; }", NULL, &error),
	        STATUS_OK);
}

static void hints_to_unroll_are_read_in_any_spelling(void **state)
{
	static const struct {
		const char *text;
		unsigned unroll;
	} rows[] = {
	        {"", 0},
	        {"#pragma unroll\n", UINT16_MAX},
	        {"#pragma unroll 4\n", 4},
	        {"#pragma unroll(8)\n", 8},
	        {"#pragma unroll ( 8 )\n", 8},
	        {"#pragma unroll\t16\n", 16},
	        {"#pragma nounroll\n", 1},
	        {"__attribute__((opencl_unroll_hint))\n", UINT16_MAX},
	        {"__attribute__((opencl_unroll_hint(2)))", 2},
	        {"__attribute__((opencl_unroll_hint( 12 )))", 12},
	        {"a[0] = 2; __attribute__((opencl_unroll_hint(3)))", 3},
	        {"{ } __attribute__((opencl_unroll_hint(3)))", 3},
	};
	static const char *const loops[] = {"for (int k = 0; k < n; k++) a[k] = k;",
	                                    "while (n > 0) a[n--] = 1;",
	                                    "do a[n--] = 1; while (n > 0);"};
	(void)state;
	for (size_t i = 0; i < COUNT(rows) * COUNT(loops); i++) {
		char source[400];
		unsigned unroll = 77;
		(void)snprintf(source, sizeof source,
		               "kernel void f(global int *a, int n) { a[9] = 1;\n%s%s }",
		               rows[i % COUNT(rows)].text, loops[i / COUNT(rows)]);
		struct ir_kernel *kernel = analyse(source, NULL);
		for (uint32_t s = 0; s < kernel->statement_count; s++)
			if (kernel->statements[s].kind == STATEMENT_LOOP)
				unroll = kernel->statements[s].unroll;
		if (unroll != rows[i % COUNT(rows)].unroll)
			fail_msg("%s: %u", source, unroll);
		kernel_free(kernel);
	}
}

/* What the last loop of a kernel is to be unrolled by: it has the hint; one before it has 7. */
static unsigned hint_in(const char *head, const char *hint, const char *options)
{
	char source[700];
	unsigned unroll = 77;
	(void)snprintf(source, sizeof source,
	               "%s\nkernel void f(global int *a, int n) { a[9] = 1;\n"
	               "/* #pragma unroll 3 */ int b = \"#pragma unroll 5 for\"[0];\n"
	               "#pragma unroll 7\nfor (int k = 0; k < n; k++) a[k] = b;\n"
	               "{ %s\nfor (int k = 0; k < n; k++) a[k] = k; } }",
	               head, hint);
	struct ir_kernel *kernel = analyse(source, options);
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (kernel->statements[s].kind == STATEMENT_LOOP)
			unroll = kernel->statements[s].unroll;
	kernel_free(kernel);
	return unroll;
}

static void a_hint_by_macros_is_as_the_number_written_out(void **state)
{
	static const char macros[] = "#define FACTOR 4\n#define NESTED (FACTOR)\n#define EMPTY\n"
	                             "#define TWICE(x) ((x) * 2)\n"
	                             "#define PRAGMA(x) _Pragma(#x)\n"
	                             "#define UNROLL PRAGMA(unroll FACTOR)\n"
	                             "#define HINT __attribute__((opencl_unroll_hint(FACTOR)))\n"
	                             "enum { EIGHT = 8 }; constant int SIX = 6;";
	static const struct {
		const char *hint;
		unsigned unroll;
	} rows[] = {
	        {"\n#pragma unroll FACTOR", 4},
	        {"\n#pragma unroll (FACTOR)", 4},
	        {"\n#pragma unroll NESTED", 4},
	        {"\n#pragma unroll FACTOR*2", 8},
	        {"\n#pragma unroll TWICE(FACTOR)", 8},
	        {"\n#pragma unroll (FACTOR) + 1", 0}, /* clang ignores a pragma that goes on */
	        {"\n#pragma unroll 1 << 3", 8},
	        {"\n#pragma unroll FACTOR > 2 ? 16 : 2", 16},
	        {"\n#pragma unroll 40 - 2 - FACTOR / 2 % 3 * 3", 32},
	        {"\n#pragma unroll (FACTOR | 3 & ~1)", 6},
	        {"\n#pragma unroll sizeof(float4)", 16},
	        {"\n#pragma unroll EIGHT", 8},
	        {"\n#pragma unroll SIX / 2", 3},
	        {"\n#pragma unroll 0x10", 16},
	        {"\n#pragma unroll 4U", 4},
	        {"\n#pragma unroll 70000", 10000},
	        {"\n#pragma unroll EMPTY", UINT16_MAX},
	        {"\n#pragma unroll 1", 1},
	        {"\n#pragma unroll 0", 1},
	        {"\n#pragma unroll OPTION", 2},
	        {"\n#pragma GCC unroll FACTOR", 4},
	        {"\n#pragma clang loop unroll_count(FACTOR)", 4},
	        {"\n#pragma clang loop unroll_count(2 * FACTOR) vectorize(enable)", 8},
	        {"\n#pragma clang loop unroll(disable)", 1},
	        {"\n#pragma clang loop unroll(full)", UINT16_MAX},
	        {"\n#pragma clang loop vectorize(enable)", 0},
	        {"\n#pragma unroll FACTOR\n#pragma clang loop vectorize(enable)", 4},
	        {"\n#pragma ivdep", 0},
	        {"\n#pragma nounroll", 1},
	        {"_Pragma(\"unroll 4\")", 4},
	        {"_Pragma(\"unroll FACTOR\")", 4},
	        {"UNROLL", 4},
	        {"HINT", 4},
	        {"__attribute__((opencl_unroll_hint(FACTOR * 3)))", 12},
	        {"__attribute__((opencl_unroll_hint(OPTION)))", 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned unroll = hint_in(macros, rows[i].hint, "-DOPTION=2");
		if (unroll != rows[i].unroll)
			fail_msg("%s: %u, want %u", rows[i].hint, unroll, rows[i].unroll);
	}
}

static void a_hint_is_of_its_own_loop(void **state)
{
	static const char source[] =
	        "#define U(n) _Pragma(\"unroll\")\n"
	        "#define L(f) __attribute__((opencl_unroll_hint(f))) for (int j = 0; j < n; j++)\n"
	        "int s(int n) { int t = 0; L(3) t += j; return t; }\n"
	        "kernel void f(global int *a, int n) {\n"
	        "for (int k = 0; k < n; k++) a[k] = k;\n"
	        "L(5) { a[j] = s(n);\n#pragma unroll 6\nwhile (n--) a[n] = ({ int q = 0;\n"
	        "#pragma unroll 7\ndo q++; while (q < 9); q; }); }\n"
	        "L(8) a[j] = s(n); }";
	static const unsigned want[] = {0, 5, 3, 6, 7, 8, 3};
	unsigned count = 0;
	(void)state;
	struct ir_kernel *kernel = analyse(source, NULL);
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (kernel->statements[s].kind == STATEMENT_LOOP) {
			assert_true(count < COUNT(want));
			assert_int_equal(kernel->statements[s].unroll, want[count]);
			count++;
		}
	assert_int_equal(count, COUNT(want));
	kernel_free(kernel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts_of_a_for_are_found_in_any_text),
	        cmocka_unit_test(components_have_their_names_in_any_text),
	        cmocka_unit_test(required_sizes_are_read_in_any_spelling),
	        cmocka_unit_test(kernels_are_known_by_their_attribute_alone),
	        cmocka_unit_test(hints_to_unroll_are_read_in_any_spelling),
	        cmocka_unit_test(a_hint_by_macros_is_as_the_number_written_out),
	        cmocka_unit_test(a_hint_is_of_its_own_loop),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend text", tests, NULL, NULL);
}
