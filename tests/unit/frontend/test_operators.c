/* SPDX-License-Identifier: Apache-2.0 */
/* Operators, conversions, declarations and calls, by other spellings of them. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- assignments ------------------------------------------------------------------------------
 */

static void compound_assignments_compute_as_wide_as_c(void **state)
{
	static const char *const variables[] = {"char q = n",   "uchar q = n", "short q = n",
	                                        "ushort q = n", "int q = n",   "uint q = n",
	                                        "long q = n",   "ulong q = n", "half q = h",
	                                        "float q = x",  "double q = d"};
	static const char *const operands[] = {"n", "u", "z", "(ulong)z", "x",
	                                       "d", "h", "3", "2.5f"};
	static const char *const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
	(void)state;
	for (size_t i = 0; i < COUNT(variables) * COUNT(operands); i++) {
		size_t v = i % COUNT(variables), o = i / COUNT(variables);
		bool is_real = v > 7 || (o > 3 && o != 7);
		char one[1600] = "", two[1600] = "";
		int used_one = 0, used_two = 0;
		for (size_t k = 0; k < (is_real ? 4 : COUNT(operators)); k++) {
			used_one +=
			        snprintf(one + used_one, sizeof one - (size_t)used_one,
			                 "{ %s; (void)(%s); q %s= %s; a[%zu] = q; }", variables[v],
			                 operands[o], operators[k], operands[o], k);
			used_two +=
			        snprintf(two + used_two, sizeof two - (size_t)used_two,
			                 "{ %s; (void)(%s); q = q %s %s; a[%zu] = q; }",
			                 variables[v], operands[o], operators[k], operands[o], k);
		}
		const struct form form = {NULL, one, two};
		assert_same(&form, 1, NULL);
	}
}

static void increments_are_sums(void **state)
{
	static const struct form forms[] = {
	        {NULL, "n++; b[i] = n;", "n = n + 1; b[i] = n;"},
	        {NULL, "--u; b[i] = u;", "u = u - 1; b[i] = u;"},
	        {NULL, "x++; --d; a[i] = x + d;", "x = x + 1; d = d - 1; a[i] = x + d;"},
	        {NULL, "b[i] = n++ * 2; b[u] = ++n;", "b[i] = n * 2; b[u] = n + 2;"},
	        {NULL, "v[i].x++;", "v[i].x = v[i].x + 1;"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

/* ---- logic ------------------------------------------------------------------------------------
 */

static void logic_is_of_truths(void **state)
{
	static const struct form forms[] = {
	        {NULL,
	         "b[i] = 0 && n; b[i + 1] = 1 || n; b[i + 2] = 0 && b[n]; b[i + 3] = 1 || b[n]++;",
	         "b[i] = 0; b[i + 1] = 1; b[i + 2] = 0; b[i + 3] = 1;"},
	        {NULL, "b[i] = 1 ? n : b[u]; b[i + 1] = 0 ? b[u] : 7;", "b[i] = n; b[i + 1] = 7;"},
	        {NULL, "b[i] = n > 3 && u < 2;", "b[i] = (n > 3) & (u < 2);"},
	        {NULL, "b[i] = n == 3 || u != 2;", "b[i] = (n == 3) | (u != 2);"},
	        {NULL, "b[i] = !n && n <= 9;", "b[i] = !n & (n <= 9);"},
	        {NULL, "b[i] = n && u;", "b[i] = (n != 0) & (u != 0);"},
	        {NULL, "b[i] = (n > 3) && x > 1;", "b[i] = (n > 3) & (x > 1);"},
	        {NULL, "b[i] = ((int4)(n) && (int4)(u)).x;",
	         "b[i] = (((int4)(n) != 0) & ((int4)(u) != 0)).x;"},
	        {NULL, "b[i] = ((v[i] < x) || (v[i] == 2)).y;",
	         "b[i] = ((v[i] < x) | (v[i] == 2)).y;"},
	        {NULL, "b[i] = (!(v[i] < x)).y;", NULL},
	        {NULL, "b[i] = ((double2)(d) && (double2)(1, n)).x;",
	         "b[i] = (((double2)(d) != 0) & ((double2)(1, n) != 0)).x;"},
	        {NULL, "b[i] = ((char2)(n) || (char2)(u)).x + ((short2)(n) && (short2)(u)).y;",
	         "b[i] = (((char2)(n) != (char2)0) | ((char2)(u) != (char2)0)).x + (((short2)(n) "
	         "!= "
	         "(short2)0) & ((short2)(u) != (short2)0)).y;"},
	        {NULL, "v[i] = v[i] < x ? v[i] : v[n];",
	         "float4 p = v[i], q = v[n]; v[i] = p < x ? p : q;"},
	        {NULL, "n > 3 ? (void)(b[i] = 1) : (void)(b[i] = 2);",
	         "if (n > 3) b[i] = 1; else b[i] = 2;"},
	        {NULL, "b[i] = ((void)n, u);", "b[i] = u;"},
	        {NULL, "b[i] = (__predictd_as, 3); b[n] = as_int(n); b[u] = as_int(u);",
	         "b[i] = 3; b[n] = n; b[u] = as_int(u);"},
	        {NULL, "b[i] = __extension__ n; b[n] = +n;", "b[i] = n; b[n] = n;"},
	        {NULL, "b[i] = ({ n; }) + ({ int t = u; ; t; }); ({ });", "b[i] = n + (int)u;"},
	        {NULL, "({ if (n > 3) b[i] = 1; });", "if (n > 3) b[i] = 1;"},
	        {NULL, "b[i] = -5 / 2 + -(5) + ~(3) - -n;", "b[i] = -2 - 5 - 4 + n;"},
	        {NULL, "b[i] = sizeof(v[0]) + sizeof n + vec_step(v[0]) + vec_step(float3);",
	         "b[i] = 16 + 4 + 4 + 4;"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

/* ---- what is declared ---------------------------------------------------------------------------
 */

static void declarations_of_any_kind_are_read(void **state)
{
	static const struct form forms[] = {
	        {NULL,
	         "struct t { int n; }; typedef int whole; enum { E = 4 }; union w { int n; }; "
	         "struct t p = {3}; whole q = E; union w r; r.n = 2; b[i] = p.n + q + r.n;",
	         "b[i] = 9;"},
	        {NULL, "_Static_assert(1, \"\"); int twice(int); b[i] = 1;", "b[i] = 1;"},
	        {NULL, "constant int k = 5; constant int m = k * 2; b[i] = k + m;", "b[i] = 15;"},
	        {"constant int k = 5, m = k << 2; constant float y = 1.5f; constant bool t = true;",
	         "b[i] = k + m + t; a[i] = y;", "b[i] = 26; a[i] = 1.5f;"},
	        {"typedef struct { int n[2]; } pair; pair make(int n) { pair p = {{n, n + 1}}; "
	         "return p; }",
	         "b[i] = make(n).n[1];", "b[i] = n + 1;"},
	        {"typedef float pair[2];", "pair p = {1, x}; a[i] = p[1];", "a[i] = x;"},
	        {NULL, "const int k = n; int m = 2; b[i] = k + m;", "b[i] = n + 2;"},
	        {"int twice(const int n) { return 2 * n; } int (four)(int n) { return "
	         "twice(twice(n)); }",
	         "b[i] = four(3);", "b[i] = 12;"},
	        {"int late(int n); int first(int n) { return late(n) + 1; } int late(int n) { "
	         "return n * "
	         "3; }",
	         "b[i] = first(n);", "b[i] = n * 3 + 1;"},
	        {"float mixed(uchar c, float x, long z) { return c + x + z; }",
	         "a[i] = mixed(n, x, z);", "a[i] = (uchar)n + x + z;"},
	        {"void nothing(int n) { return; } int one(void) { return 1; }",
	         "nothing(n); (void)one(); one(); b[i] = one();", "b[i] = 1;"},
	        {"int deep(int n) { { { return n + 1; } } } int last(int n) { if (n > 3) return 1; "
	         "else "
	         "return 2; }",
	         "b[i] = deep(n) + last(5);", "b[i] = n + 1 + 1;"},
	};
	static const struct form parts[] = {
	        {"constant int k[2][2] = {{1, 2}, {3, 4}};", "b[i] = k[n][1];",
	         "array constant int k 16\n"},
	        {"struct s { int n[3]; float x; }; constant struct s k[2] = {{{1, 2, 3}, 4}};",
	         "b[i] = k[n].n[2];", "load k[n*16 + 8]"},
	        {"extern constant int k;", "b[i] = k;", "load k[0]"},
	        {NULL, "constant int k[] = {1, 2, 3}; b[i] = k[n];", "array constant int k 12\n"},
	        {NULL, "local float t[4][5]; t[n][2] = x; b[i] = 1;", "store float t[n*20 + 8]"},
	        {NULL, "local struct { int n; float x; } s; s.x = x; b[i] = s.n;",
	         "store float s[0 + 4]"},
	        {NULL, "local int k; k = n; b[i] = k;", "array local int k 4\n"},
	        {NULL, "volatile local int *q = l; b[i] = q[0] + q[0];", "add(%"},
	};
	static const struct form later[] = {
	        {"global int counter = 3;", "counter++; b[i] = counter;", "counter[0] ="},
	        {"global float table[8];", "table[n] = x; b[i] = 1;", "store float table[n*4]"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(parts, COUNT(parts), NULL);
	assert_part(later, COUNT(later), "-cl-std=CL2.0");
}

static void what_has_no_form_has_its_reason(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = __real__ n;", "operator"},
	        {NULL, "b[i] = as_long(a);", "pointer used as a number"},
	        {NULL, "switch (n) { b[i] = 1; case 2: b[i] = 3; }",
	         "statement in a switch before its cases"},
	        {NULL, "switch (n) { for (;;) { case 2: b[i] = 3; } }",
	         "statement in a switch before its cases"},
	        {NULL, "switch (n) { case 1: { case 2: b[i] = 3; } }", "Case"},
	        {"struct s; void take(global struct s *p);",
	         "take((global struct s *)a); b[i] = 1;", "function take"},
	        {"struct big { float t[300]; }; float of(struct big q) { return q.t[3]; }",
	         "global struct big *p = (global struct big *)a; a[i] = of(p[n]);",
	         "too large to copy"},
	        {"struct big { float t[300]; }; struct big make(float x) { struct big q; q.t[3] = "
	         "x; "
	         "return q; }",
	         "a[i] = make(x).t[3];", "too large to copy"},
	        {"int loop(int n) { return loop(n); }", "b[i] = loop(n);", "recursion in loop"},
	        {NULL, "b[i] = a[0x7fffffffffffffffl];", "address out of range"},
	        {"struct s { char t[0x7ffffff0]; char u[0x7ffffff0]; };",
	         "global struct s *p = (global struct s *)a; p[n].u[3] = 1;",
	         "pointer to an element of this size"},
	};
	(void)state;
	assert_refused(forms, COUNT(forms), NULL);
}

/* ---- limits
 * -------------------------------------------------------------------------------------- */

/* A body of `count` times `unit`, %u being its number, between head and tail. */
static char *repeated(const char *head, const char *unit, const char *tail, unsigned count)
{
	size_t room = strlen(head) + strlen(tail) + (strlen(unit) + 24) * count + 1, used;
	char *body = malloc(room);
	assert_non_null(body);
	used = (size_t)snprintf(body, room, "%s", head);
	for (unsigned i = 0; i < count; i++) {
		const char *mark = strstr(unit, "%u");
		used += mark == NULL ? (size_t)snprintf(body + used, room - used, "%s", unit)
		                     : (size_t)snprintf(body + used, room - used, "%.*s%u%s",
		                                        (int)(mark - unit), unit, i, mark + 2);
	}
	(void)snprintf(body + used, room - used, "%s", tail);
	return body;
}

static void limits_are_named(void **state)
{
	static const struct {
		const char *head, *unit, *tail;
		unsigned within, beyond;
		const char *reason;
	} rows[] = {
	        {"switch (n) { ", "case %u: b[i] = 1; break; ", "}", 60, 70,
	         "switch of more than 64 cases"},
	        {"switch (n) { ", "case %u: ", "b[i] = 1; }", 100, 2100, ""},
	        {"b[i] = ", "n > %u ? 1 : ", "2;", 40, 300, NULL},
	        {"int k = 0; ", "k += b[n + %u]; ", "b[i] = k;", 600, 0, NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (unsigned is_beyond = 0; is_beyond < 2; is_beyond++) {
			unsigned count = is_beyond ? rows[i].beyond : rows[i].within;
			if (count == 0 || (is_beyond && rows[i].reason == NULL))
				continue;
			char *body = repeated(rows[i].head, rows[i].unit, rows[i].tail, count);
			const struct form form = {NULL, body, is_beyond ? rows[i].reason : NULL};
			assert_refused(&form, 1, NULL);
			free(body);
		}
	}
}

static void nesting_has_its_limits(void **state)
{
	static const struct {
		const char *open, *inner, *close;
		unsigned within, beyond;
		const char *reason;
	} rows[] = {
	        {"if (b[n + %u] > 3) { ", "b[i] = 1;", "}", 60, 200, "nested"},
	        {"for (int k%u = 0; b[n] > 3; ) { ", "b[i] = 1;", "}", 60, 130, ""},
	        {"{ ", "b[i] = 1;", "}", 200, 0, NULL},
	        {"while (n > %u) { n--; ", "b[i] = 1;", "}", 60, 130, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (unsigned is_beyond = 0; is_beyond < 2; is_beyond++) {
			unsigned count = is_beyond ? rows[i].beyond : rows[i].within;
			if (count == 0)
				continue;
			char *opened = repeated("", rows[i].open, rows[i].inner, count);
			char *body = repeated(opened, rows[i].close, "", count);
			const struct form form = {NULL, body};
			struct ir_kernel *kernel = form_kernel(&form, NULL);
			if ((kernel->unsupported[0] != '\0') != (is_beyond == 1) ||
			    (is_beyond && strstr(kernel->unsupported, rows[i].reason) == NULL))
				fail_msg("%s, %u deep: \"%s\"", rows[i].open, count,
				         kernel->unsupported);
			kernel_free(kernel);
			free(body);
			free(opened);
		}
	}
}

static void names_are_printable_and_short(void **state)
{
	struct ir_kernel *kernel;
	char source[700], name[300];
	(void)state;
	kernel = analyse("kernel void f(global int *gr\u00f6\u00dfe) { gr\u00f6\u00dfe[0] = 1; }",
	                 NULL);
	assert_string_equal(kernel->arguments[0].name, "gr????e");
	assert_text(kernel, "store int gr????e[0] = 1");
	kernel_free(kernel);
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	(void)snprintf(source, sizeof source, "kernel void f(global int *%s) { %s[0] = 1; }", name,
	               name);
	kernel = analyse(source, NULL);
	assert_int_equal(strlen(kernel->arguments[0].name), IR_NAME_MAX - 1);
	kernel_free(kernel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(compound_assignments_compute_as_wide_as_c),
	        cmocka_unit_test(increments_are_sums),
	        cmocka_unit_test(logic_is_of_truths),
	        cmocka_unit_test(declarations_of_any_kind_are_read),
	        cmocka_unit_test(what_has_no_form_has_its_reason),
	        cmocka_unit_test(limits_are_named),
	        cmocka_unit_test(nesting_has_its_limits),
	        cmocka_unit_test(names_are_printable_and_short),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend operators", tests, NULL, NULL);
}
