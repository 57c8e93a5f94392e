/* SPDX-License-Identifier: Apache-2.0 */
/* Where values live: pointers, private variables read as what they are not, lists that fill them.
 */
#include "tests/test.h"

#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- pointers -------------------------------------------------------------------------------- */

static void pointer_arithmetic_is_of_indices(void **state)
{
	static const struct form forms[] = {
	        {NULL, "*(a - n) = 1;", "a[-n] = 1;"},
	        {NULL, "*(a - u) = 1;", "a[-(long)u] = 1;"},
	        {NULL, "*(a - c[0]) = 1;", "a[-c[0]] = 1;"},
	        {NULL, "*(n + a) = 1; 2[a] = 3; n[b] = i;", "a[n] = 1; a[2] = 3; b[n] = i;"},
	        {NULL, "global float *p = a; p -= n; *p = 1;", "a[-n] = 1;"},
	        {NULL, "global float *p = a + 5; p--; --p; p++; ++p; p -= 2; *p = 1;", "a[3] = 1;"},
	        {NULL, "global float *p = a + 5; *p-- = 1; *--p = 2; *p++ = 3; *++p = 4;",
	         "a[5] = 1; a[3] = 2; a[3] = 3; a[5] = 4;"},
	        {NULL, "b[i] = (a + n) - (a + u);", "b[i] = ((long)n * 4 - (long)u * 4) / 4;"},
	        {NULL, "b[i] = (a + 7) - a;", "b[i] = 7;"},
	        {NULL, "b[i] = &a[9] - &a[2];", "b[i] = 7;"},
	        {NULL, "global char *p = (global char *)a + 6; b[i] = p - (global char *)a;",
	         "b[i] = 6;"},
	        {NULL, "*(global float *)((global char *)a + 4 * n) = 1;", NULL},
	        {"typedef global int *ints;", "ints p = b + 1, q = p; q[0] = p == q;", "b[1] = 1;"},
	        {"void set(global int p[4], int n) { p[1] = n; }", "set(b + 2, n); set(b, 3);",
	         "b[3] = n; b[1] = 3;"},
	};
	static const struct form parts[] = {
	        {NULL, "global float (*p)[4] = (global float (*)[4])a; p[n][2] = 1;",
	         "store float a[n*16 + 8] = 1.0"},
	        {NULL, "global int *p = &b[n]; p[0] = 1; *&p[1] = 2; (*(p + 2)) = 3;",
	         "store int b[n*4 + 8] = 3"},
	        {NULL, "global float4 *p = v + n; (*p).z = 1; p->w = 2;",
	         "store float v[n*16 + 12] = 2.0"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(parts, COUNT(parts), NULL);
}

static void pointers_compare_by_object_and_index(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = a + n < a + u;", "b[i] = (long)n < (long)u;"},
	        {NULL, "b[i] = a + n > a + u;", "b[i] = (long)n > (long)u;"},
	        {NULL, "b[i] = a + n <= a + u;", "b[i] = (long)n <= (long)u;"},
	        {NULL, "b[i] = a + n >= a + u;", "b[i] = (long)n >= (long)u;"},
	        {NULL, "b[i] = a + n == a + u;", "b[i] = (long)n == (long)u;"},
	        {NULL, "b[i] = a + n != a + u;", "b[i] = (long)n != (long)u;"},
	        {NULL, "b[i] = a + n < a + 3;", "b[i] = (long)n < 3;"},
	        {NULL, "b[i] = (global char *)a + n == (global char *)(a + u);",
	         "b[i] = (long)n == (long)u * 4;"},
	        {NULL, "b[i] = (global char *)(a + n) < (global char *)a + 6;",
	         "b[i] = (long)n * 4 < 6;"},
	        {NULL, "b[i] = a + 1 < a + 2;", "b[i] = 1;"},
	        {NULL, "b[i] = (a == 0) + 2 * (a != 0) + 4 * (0 == a);", "b[i] = 2;"},
	        {NULL,
	         "global float *p = 0, *q = 0; b[i] = (p == q) + 2 * (p != q) + 4 * (p == a);",
	         "b[i] = 1;"},
	        {NULL, "b[i] = (global int *)a == b;", "b[i] = 0;"},
	        {NULL, "b[i] = (global int *)a != b;", "b[i] = 1;"},
	        {NULL, "b[i] = !a + 4 * (a || n);", "b[i] = 4;"},
	        {NULL, "global float *p = 0; b[i] = (p ? 1 : 2) + 4 * !p + (p && b[n]);",
	         "b[i] = 6;"},
	        {NULL, "b[i] = (bool)a; if (a) b[i + 1] = 1; else b[i + 2] = 2;",
	         "b[i] = 1; b[i + 1] = 1;"},
	        {NULL, "global float *p = 0; if (!p) p = a; *p = 1;", "a[0] = 1;"},
	};
	static const struct form unknown[] = {
	        {NULL, "b[i] = (global int *)a < b;", "= unknown()"},
	        {NULL, "b[i] = b - (global int *)a;", "convert_int(unknown())"},
	        {NULL, "global float *p = n ? a : (global float *)b; b[i] = p - a;",
	         "convert_int(unknown())"},
	        {NULL, "b[i] = (long)a;", "convert_int(unknown())"},
	        {NULL, "global float *p = n ? a : a + 1; b[i] = p == a + u;",
	         "= eq(phi(n, 0, 4), mul(convert_long(u), 4))"},
	        {NULL, "global float *p = n ? a : (global float *)b; b[i] = p == a + u;",
	         "= phi(n, eq(convert_long(u), 0), 0)"},
	        {NULL, "global float *p = n ? a : (global float *)b; b[i] = a + u != p;",
	         "= phi(n, ne(convert_long(u), 0), 1)"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(unknown, COUNT(unknown), NULL);
}

static void pointers_choose_among_objects(void **state)
{
	static const struct form forms[] = {
	        /* both stores stand under the condition that chose */
	        {NULL, "global int *p = n ? b : (global int *)a; *p = 1;",
	         "if (n) b[0] = 1; else *(global int *)a = 1;"},
	        {NULL, "global int *p; if (n) p = b; else p = (global int *)a; p[3] = 1;", NULL},
	        {NULL, "global int *p = n ? b : (global int *)a; p += 2; p[1] = 1;",
	         "if (n) b[3] = 1; else ((global int *)a)[3] = 1;"},
	        {NULL, "global int *p = n ? b : (global int *)a; p[u] = 1;",
	         "if (n) b[u] = 1; else ((global int *)a)[u] = 1;"},
	        {NULL, "global int *p = n ? b : (global int *)a; atomic_add(p, 3);",
	         "if (n) atomic_add(b, 3); else atomic_add((global int *)a, 3);"},
	        {NULL, "global int *p = n ? b : 0; *p = 1;", "b[0] = 1;"},
	        {NULL, "global int *p = n ? 0 : b; *p = 1;", "b[0] = 1;"},
	        {NULL, "global int *p = n ? b + u : b + u; *p = 1;", "b[u] = 1;"},
	        {NULL, "global int *p = 1 ? b : (global int *)a; *p = 1;", "b[0] = 1;"},
	};
	static const struct form parts[] = {
	        {NULL, "int s = 1, t = 2; int *p = n ? &s : &t; *p = 3; b[i] = s;",
	         "= phi(n, 3, 1)"},
	        {NULL, "int s = 1, t = 2; int *p = n ? &s : &t; *p = 3; b[i] = t;",
	         "= phi(n, 2, 3)"},
	        {NULL, "int s = 1, t = 2; int *p = n ? &s : &t; b[i] = *p;", "= phi(n, 1, 2)"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; int *p = n ? t + 1 : t + 2; b[i] = *p;",
	         "load t[phi(n, 4, 8)]"},
	        {NULL, "local int *q[2]; q[0] = l; q[1] = l + 8; q[n & 1][3] = 1; b[i] = 1;",
	         "store int l["},
	        {NULL,
	         "global int *q[3]; q[0] = b; q[1] = b + 8; q[2] = (global int *)a; *q[n] = 1;",
	         "store int a[0] = 1"},
	        {"int sum(int p[2]) { return p[0] + p[1]; }", "int t[2] = {n, 3}; b[i] = sum(t);",
	         "= add(n, 3)"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(parts, COUNT(parts), NULL);
}

static void pointers_move_in_loops(void **state)
{
	static const struct form parts[] = {
	        /* which object it is of stays as it is */
	        {NULL,
	         "global int *p = n ? b : (global int *)a; for (int k = 0; k < n; k++) *p++ = 1;",
	         "then %1 = %1\n"},
	        {NULL,
	         "global int *p = n ? b : u ? (global int *)a : (global int *)v; for (int k = 0; k "
	         "< n; "
	         "k++) *p++ = 1;",
	         "then %1 = %1\n"},
	        {NULL,
	         "global int *p = b, *q = (global int *)a; for (int k = 0; k < n; k++) { global "
	         "int *t = "
	         "p; p = q; q = t; *p = 1; }",
	         " = int var 0\n"},
	        {NULL, "global int *p; for (int k = 0; k < n; k++) { p = b + k; *p = 1; }",
	         "store int b[%2*4] = 1"},
	        {NULL,
	         "global int *p = 0; for (int k = 0; k < n; k++) { if (k == 3) p = b; *p++ = 1; }",
	         "store int b["},
	        {NULL,
	         "global char *p = (global char *)a + 2; for (int k = 0; k < n; k++) { *(global "
	         "float "
	         "*)p = 1; p += 4; }",
	         "long var 2\n"},
	        {NULL,
	         "global float *p = (global float *)((global char *)a + 2); for (int k = 0; k < n; "
	         "k++) "
	         "*p++ = 1;",
	         "then %1 = add(%1, 4)\n"},
	        {"struct s { global float *p; int n; };",
	         "struct s s = {a, n}; for (; s.n > 0; s.n--) *s.p++ = s.n;",
	         "then %1 = add(%1, 1)\n"},
	        {"struct s { global float *p; int n; };",
	         "struct s s = {a, n}, t = {(global float *)b, u}; for (int k = 0; k < n; k++) { "
	         "struct s "
	         "r = s; s = t; t = r; *s.p = t.n; }",
	         "store float b["},
	        {NULL,
	         "local int *p = l, *q[2] = {l, l + 4}; for (int k = 0; k < n; k++) { p = q[k & "
	         "1]; *p = "
	         "k; } b[i] = 1;",
	         "store int l["},
	        {NULL,
	         "float t[4]; float *p = t; for (int k = 0; k < 4; k++) *p++ = k; a[i] = t[n & 3];",
	         "array private float t 16"},
	        {NULL,
	         "float s = 1, t = 2; float *p = &s; for (int k = 0; k < n; k++) { *p = k; p = k & "
	         "1 ? &s "
	         ": &t; } a[i] = s + t;",
	         "array private float s 4"},
	};
	(void)state;
	assert_part(parts, COUNT(parts), NULL);
}

static void subscripts_are_constants_in_any_spelling(void **state)
{
	static const struct form forms[] = {
	        {"enum { TWO = 2 };", "int t[4] = {5, 6, 7, 8}; b[i] = t[TWO];", "b[i] = 7;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[1 + 1];", "b[i] = 7;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[(5 - 4)];", "b[i] = 6;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[1 * 3];", "b[i] = 8;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[7 / 2];", "b[i] = 8;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[7 % 4];", "b[i] = 8;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[1 << 1];", "b[i] = 7;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[6 >> 1];", "b[i] = 8;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[-(-1)];", "b[i] = 6;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t['b' - 'a'];", "b[i] = 6;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[sizeof(int) - 1];", "b[i] = 8;"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = 3[t];", NULL},
	        {NULL, "int t[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}; b[i] = t[1][0][1];",
	         "b[i] = 6;"},
	        {"struct s { int n; struct { int t[2]; } in[2]; };",
	         "struct s s = {1, {{{2, 3}}, {{4, 5}}}}; b[i] = s.in[1].t[0];", "b[i] = 4;"},
	};
	static const struct form in_memory[] = {
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[n];", "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[~-3];", "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[7 / (3 - 4) + 8];",
	         "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[7 % (4 - 5)];", "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[(-4 >> 1) + 3];",
	         "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[6 & 3];", "array private int t 16"},
	        {NULL, "int t[4] = {5, 6, 7, 8}; b[i] = t[1 ? 2 : 3];", "array private int t 16"},
	        {NULL, "int t[2][2] = {{1, 2}, {3, 4}}; b[i] = t[n & 1][1];",
	         "array private int t 16"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(in_memory, COUNT(in_memory), NULL);
}

static void pointers_that_are_none_have_a_reason(void **state)
{
	static const struct form forms[] = {
	        {NULL, "global float *p = (global float *)z; *p = 1;",
	         "pointer made from a number"},
	        {NULL, "b[i] = *(global int *)(a ? z : 0);", "pointer"},
	        {NULL, "global float *p; *p = 1;", "pointer without a value"},
	        {NULL, "global float *p = 0; *p = 1;",
	         "access through a pointer without an object"},
	        {NULL, "global float *p = 0; a[i] = *p;",
	         "access through a pointer without an object"},
	        {NULL, "global int *p = 0; atomic_inc(p); b[i] = 1;",
	         "access through a pointer without an object"},
	        {"struct s { global int *p; };",
	         "global struct s *s = (global struct s *)a; struct s t = *s; t.p[0] = 1;",
	         "pointer in memory"},
	        {"struct s { global int *p; };",
	         "global struct s *s = (global struct s *)a; struct s t = {b}; *s = t;", NULL},
	        {"struct s { global int *p; };",
	         "global struct s *s = (global struct s *)a; s->p = b;", NULL},
	        {"struct s { global int *p; };",
	         "global struct s *s = (global struct s *)a; s->p[0] = 1;",
	         "a pointer in memory is taken as one to somewhere in a"},
	        {"struct s { global int *p; int n; };",
	         "global struct s *s = (global struct s *)a; struct s t = s[n]; t.p[0] = t.n;",
	         "a pointer in memory is taken as one to somewhere in a"},
	        {"struct s { global short3 *p; };",
	         "global struct s *s = (global struct s *)a; s->p[0] = 1;",
	         "pointer in memory to what no argument has"},
	        {NULL, "b[i] = v[i][n];", "variable index into a vector"},
	        {NULL, "v[i].xy[n] = 1;", "variable index into a vector"},
	};
	(void)state;
	assert_refused(forms, COUNT(forms), NULL);
}

/* ---- variables as what they are not -----------------------------------------------------------
 */

static void variables_are_read_as_their_bits(void **state)
{
	static const struct form forms[] = {
	        {"union w { float x; int n; };", "union w q; q.x = x; b[i] = q.n;",
	         "b[i] = as_int(x);"},
	        {"union w { float x; int n; };", "union w q; q.n = n; a[i] = q.x;",
	         "a[i] = as_float(n);"},
	        {"union w { float x; int n; };", "union w q = {.n = n}; a[i] = q.x;",
	         "a[i] = as_float(n);"},
	        {"union w { float x; int n; };", "union w q = {x}; b[i] = q.n;",
	         "b[i] = as_int(x);"},
	        {"union w { long z; int n[2]; };", "union w q; q.z = z; b[i] = q.n[1];",
	         "b[i] = as_int(as_uint2(z).y);"},
	        {"union w { float4 v; float x[4]; };",
	         "union w q; q.v = v[i]; q.x[2] = x; v[i] = q.v;",
	         "float4 q = v[i]; v[i] = (float4)(q.x, q.y, x, q.w);"},
	        {"union w { float4 v; struct { float2 lo, hi; } s; };",
	         "union w q; q.v = v[i]; v[n].xy = q.s.hi;",
	         "float4 q = v[i]; v[n].xy = (float2)(q.z, q.w);"},
	        {NULL, "float4 q = v[i]; b[i] = ((int *)&q)[2];",
	         "float4 q = v[i]; b[i] = as_int(as_uint4(q).z);"},
	        {NULL, "float4 q = v[i]; a[i] = ((float *)&q)[3];", "float4 q = v[i]; a[i] = q.w;"},
	        {NULL, "float y = x; b[i] = *(int *)&y;", "b[i] = as_int(x);"},
	        {NULL, "float y; *(int *)&y = n; a[i] = y;", "a[i] = as_float(n);"},
	        {NULL, "float2 y = (float2)(x, 1); b[i] = (*(int2 *)&y).x;",
	         "float2 y = (float2)(x, 1); b[i] = as_int(as_uint2(y).x);"},
	        {NULL, "int2 p = (int2)(n, 5); b[i] = *(int *)((char *)&p + 4);", "b[i] = 5;"},
	};
	static const struct form in_memory[] = {
	        {NULL, "float3 q = v[i].xyz; b[i] = ((int *)&q)[n & 1];",
	         "array private float3 q 16"},
	        {NULL, "float3 q = v[i].xyz; b[i] = *(short *)((char *)&q + 2);",
	         "array private float3 q 16"},
	        {NULL, "int s = n; int *p = &s; b[i] = p[u];", "array private int s 4"},
	        {NULL, "int t[4]; t[n & 3] = 1; b[i] = t[0];", "array private int t 16"},
	        {"struct s { int n; float t[3]; };",
	         "struct s s; s.n = 3; s.t[n] = x; a[i] = s.t[1];", "array private void s 16"},
	        {NULL, "int t[70]; t[0] = 1; b[i] = t[0];", "array private int t 280"},
	        {NULL, "char t[33] = {0}; t[n] = 1; c[i] = t[0];", "array private char t 33"},
	        {NULL, "int t[300] = {1}; t[n] = 1; b[i] = t[0];", "then %"},
	        {NULL, "short t[301] = {1}; t[n] = 1; b[i] = t[0];", "store uchar t["},
	        {NULL, "short t[302] = {1}; t[n] = 1; b[i] = t[0];", "store uint t["},
	        {"int pick(int4 t[2], int n) { return t[n].y; }",
	         "int4 t[2] = {(int4)(1), (int4)(n)}; b[i] = pick(t, n);",
	         "array private int4 t 32"},
	        {"struct s { int t[4]; }; int pick(struct s s, int n) { return s.t[n]; }",
	         "struct s s = {{1, 2, 3, 4}}; b[i] = pick(s, n);", "array private void s 16"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
	assert_part(in_memory, COUNT(in_memory), NULL);
}

static void bit_fields_hold_their_bits(void **state)
{
	static const char s[] =
	        "struct s { uint lo : 4, hi : 12; int s : 5; uint : 3; uint q : 8; };";
	static const struct form forms[] = {
	        {s, "struct s p; p.lo = 21; b[i] = p.lo;", "b[i] = 5;"},
	        {s, "struct s p; p.lo = 1; p.hi = 300; p.s = -9; b[i] = p.hi; b[i + 1] = p.s;",
	         "b[i] = 300; b[i + 1] = -9;"},
	        {s, "struct s p; p.s = 20; p.q = 511; b[i] = p.s; b[i + 1] = p.q;",
	         "b[i] = -12; b[i + 1] = 255;"},
	        {s,
	         "struct s p = {3, 70, -2, 9}; b[i] = p.lo + 10 * p.hi; b[i + 1] = p.s + 100 * "
	         "p.q;",
	         "b[i] = 703; b[i + 1] = 898;"},
	        {s,
	         "struct s p = {.hi = 5, .s = 3}; p.hi++; p.hi += 4; b[i] = p.lo + p.hi * 10 + "
	         "p.s;",
	         "b[i] = 103;"},
	        {"struct s { ulong w : 64; long z : 40; };",
	         "struct s p; p.w = 5; p.z = -7; b[i] = p.w; b[i + 1] = p.z;",
	         "b[i] = 5; b[i + 1] = -7;"},
	        {"struct s { uchar a : 3, b : 5; ushort t : 9; int n; };",
	         "struct s p = {9, 33, 600, 4}; b[i] = p.a + 10 * p.b + 100 * p.n; b[i + 1] = p.t;",
	         "b[i] = 411; b[i + 1] = 88;"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

/* ---- lists ------------------------------------------------------------------------------------
 */

static void lists_fill_what_they_name(void **state)
{
	static const char types[] = "struct p { int x, y; }; struct q { struct p p[2]; int t[3]; "
	                            "}; struct v { float4 v; "
	                            "float x; }; union u { struct p p; long z; };";
	static const struct form forms[] = {
	        {types, "struct p q = {.y = 3, .x = n}; b[i] = q.x; b[i + 1] = q.y;",
	         "b[i] = n; b[i + 1] = 3;"},
	        {types, "struct p q = {.y = 3}; b[i] = q.x * 10 + q.y;", "b[i] = 3;"},
	        {types,
	         "int t[4] = {[2] = 5, 6, [0] = 1}; b[i] = t[0] + 10 * t[1] + 100 * t[2] + 1000 * "
	         "t[3];",
	         "b[i] = 6501;"},
	        {types,
	         "struct q r = {.t = {1, [2] = 4}, .p[1].y = 7}; b[i] = r.t[0] + 10 * r.t[2] + 100 "
	         "* "
	         "r.p[1].y + 1000 * r.p[0].x;",
	         "b[i] = 741;"},
	        {types,
	         "struct q r = {{{1, 2}, {3}}, {4}}; b[i] = r.p[0].y + 10 * r.p[1].x + 100 * "
	         "r.t[0] + 1000 * r.p[1].y;",
	         "b[i] = 432;"},
	        {types,
	         "struct q r = {1, 2, 3, 4, 5, 6}; b[i] = r.p[1].y + 10 * r.t[0] + 100 * r.t[1];",
	         "b[i] = 654;"},
	        {types,
	         "struct p m = {8, 9}; struct q r = {{m, {1}}, {2}}; b[i] = r.p[0].y + 10 * "
	         "r.p[1].x + 100 * r.t[0];",
	         "b[i] = 219;"},
	        {types,
	         "struct p m = {8, 9}; struct q r = {.p = {m}, 3}; b[i] = r.p[0].x + 10 * r.t[0];",
	         "b[i] = 38;"},
	        {types,
	         "struct p m = {8, 9}, o = m; struct p t[2] = {m, o}; b[i] = t[1].y + t[0].x;",
	         "b[i] = 17;"},
	        {types,
	         "int t[2][3] = {{1, 2, 3}, {4}}; b[i] = t[0][2] + 10 * t[1][0] + 100 * t[1][1];",
	         "b[i] = 43;"},
	        {types, "int t[2][2] = {[1][0] = 5, [0] = {1, 2}}; b[i] = t[0][1] + 10 * t[1][0];",
	         "b[i] = 52;"},
	        {types, "struct v s = {(float4)(1, 2, 3, 4), 5}; a[i] = s.v.z + s.x;", "a[i] = 8;"},
	        {types, "struct v s = {{1, 2, 3, 4}, 5}; a[i] = s.v.w + s.x;", "a[i] = 9;"},
	        {types, "struct v s = {.x = x, .v = v[n]}; v[i] = s.v; a[i] = s.x;",
	         "v[i] = v[n]; a[i] = x;"},
	        {types, "union u s = {.z = z}; b[i] = s.p.y;", "b[i] = as_int2(z).y;"},
	        {types, "union u s = {{3, 4}}; b[i] = s.p.x + 10 * s.p.y;", "b[i] = 43;"},
	        {types, "int k = {3}; float y = {n}; b[i] = k; a[i] = y;", "b[i] = 3; a[i] = n;"},
	        {types, "b[i] = ((struct p){4, 5}).y; b[i + 1] = ((int[]){6, 7})[1];",
	         "b[i] = 5; b[i + 1] = 7;"},
	        {types, "global int *t[2] = {b, b + 4}; *t[1] = 3; *t[0] = 2;",
	         "b[4] = 3; b[0] = 2;"},
	        {types, "float4 q = {v[n].xy, v[n].zw}; float2 r = {x, 1}; v[i] = q; v[n].xy = r;",
	         "float4 q = (float4)(v[n].xy, v[n].zw); v[i] = q; v[n].xy = (float2)(x, 1);"},
	        {types, "v[i] = (float4)(n);", "v[i] = (float4)((float)n);"},
	};
	(void)state;
	assert_same(forms, COUNT(forms), NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pointer_arithmetic_is_of_indices),
	        cmocka_unit_test(pointers_compare_by_object_and_index),
	        cmocka_unit_test(pointers_choose_among_objects),
	        cmocka_unit_test(pointers_move_in_loops),
	        cmocka_unit_test(subscripts_are_constants_in_any_spelling),
	        cmocka_unit_test(pointers_that_are_none_have_a_reason),
	        cmocka_unit_test(variables_are_read_as_their_bits),
	        cmocka_unit_test(bit_fields_hold_their_bits),
	        cmocka_unit_test(lists_fill_what_they_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend places", tests, NULL, NULL);
}
