/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms of the language, in tables: what is in it, what is another spelling of
 * something else, and what is not in it and why.
 */
#include "tests/test.h"

#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* ---- what is in the language ---------------------------------------------------------------- */

static const struct form in_the_language[] = {
        /* work-items */
        {NULL, "b[i] = get_global_id(n) + get_local_size(u);"},
        {NULL, "b[i] = get_global_id(7) + get_local_size(9) + get_local_id(3);"},
        {NULL, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); b[i] = 1;"},
        {NULL, "mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(1); write_mem_fence(1); b[i] = 1;"},
        {NULL, "printf(\"%d %f\\n\", b[i], a[i]); b[i] = 1;"},
        {NULL, "if (i == 0) printf(\"%d\", b[0]); v[i] = 1;"}, /* a load that nobody needs */
        {NULL, "prefetch(a + i, 16); b[i] = 1;"},
        /* arithmetic and its spellings */
        {NULL, "a[i] = fmin(x, a[i]) + fmax(x, 2) + clamp(x, 0.f, 1.f) + mix(x, a[i], .5f);"},
        {NULL,
         "a[i] = step(x, a[i]) + smoothstep(0.f, 1.f, x) + sign(x) + degrees(x) + radians(x);"},
        {NULL, "a[i] = fabs(x) + fma(x, x, x) + mad(x, x, x) + copysign(x, a[i]) + fdim(x, a[i]);"},
        {NULL, "a[i] = maxmag(x, a[i]) + minmag(x, a[i]) + ldexp(x, n) + ilogb(x) + logb(x);"},
        {NULL, "a[i] = isnan(x) + isinf(x) + isfinite(x) + isnormal(x) + signbit(x);"},
        {NULL, "a[i] = isequal(x, 1.f) + isnotequal(x, 1.f) + isless(x, 1.f) + isgreater(x, 1.f);"},
        {NULL, "a[i] = islessequal(x, 1.f) + isgreaterequal(x, 1.f) + islessgreater(x, 1.f);"},
        {NULL, "a[i] = isordered(x, 1.f) + isunordered(x, 1.f);"},
        {NULL, "v[i] = select(v[i], v[i + 1], isless(v[i], v[i + 2]));"},
        {NULL, "a[i] = select(x, a[i], n); b[i] = select(n, 2, u);"},
        {NULL, "b[i] = any(isless(v[i], v[i + 1])) + all(isless(v[i], v[i + 2]));"},
        {NULL, "b[i] = any(n) + all(n);"},
        {NULL, "v[i] = bitselect(v[i], v[i + 1], v[i + 2]); b[i] = bitselect(n, 3, b[i]);"},
        {NULL, "b[i] = abs(n) + abs_diff(n, 3) + add_sat(n, 3) + sub_sat(n, 3) + hadd(n, 3);"},
        {NULL, "b[i] = rhadd(n, 3) + clz(n) + popcount(n) + rotate(n, 3) + mul_hi(n, 3);"},
        {NULL, "b[i] = mad_hi(n, 3, 4) + mad_sat(n, 3, 4) + mul24(n, 3) + mad24(n, 3, 4);"},
        {NULL, "b[i] = upsample((short)n, (ushort)u) + min(n, 3) + max(n, 3) + clamp(n, 0, 9);"},
        {NULL, "v[i] = min(v[i], x) + max(v[i], x) + clamp(v[i], x, x) + mix(v[i], v[i], x);"},
        {NULL, "a[i] = dot(v[i], v[i + 1]) + length(v[i]) + distance(v[i], v[i + 1]);"},
        {NULL, "v[i] = normalize(v[i]) + cross(v[i], v[i + 1]) + fast_normalize(v[i]);"},
        {NULL, "a[i] = fast_length(v[i]) + fast_distance(v[i], v[i + 1]);"},
        {NULL, "float y; a[i] = sincos(x, &y) + y; int e; a[i] += frexp(x, &e) + e;"},
        {NULL, "float y; a[i] = modf(x, &y) + y + fract(x, &y) + y; int q; a[i] += remquo(x, 2.f, "
               "&q) + q;"},
        {NULL, "int s; a[i] = lgamma_r(x, &s) + s;"},
        {NULL, "a[i] = native_sin(x) + half_cos(x) + native_divide(x, 2.f) + native_recip(x);"},
        {NULL, "a[i] = pown(x, n) + powr(x, x) + rootn(x, n) + pow(x, x) + cbrt(x) + hypot(x, x);"},
        {NULL, "a[i] = rint(x) + round(x) + trunc(x) + floor(x) + ceil(x) + fmod(x, 2.f) + "
               "remainder(x, 2.f);"},
        {NULL, "a[i] = nan(u) + nextafter(x, 1.f) + sinpi(x) + erf(x) + tgamma(x) + exp10(x) + "
               "log1p(x);"},
        {NULL, "a[i] = convert_float(n) + convert_float_rtz(d) + convert_int_sat_rte(x);"},
        {NULL, "v[i] = convert_float4(convert_int4_rte(v[i])); b[i] = convert_uchar_sat(n);"},
        {NULL, "b[i] = as_int(x); a[i] = as_float(n); v[i] = as_float4(as_int4(v[i]));"},
        {NULL, "b[i] = as_short2(n).x + as_uchar4(u).w;"},
        {NULL, "b[i] = n / 3 + n % 3 + u / 8 + u % 8 + z / n + z % n + (n << 3) + (n >> u);"},
        {NULL, "b[i] = ~n ^ (n & 6) | (n == 3) && (u != 2u) || !n;"},
        {NULL, "a[i] = -x + +x - (n ? x : 2.f) + (float)(bool)n;"},
        {NULL, "d = d * 2 + sqrt(d); a[i] = d; h = h + (half)1; a[i + 1] = h;"},
        {NULL, "b[i] = sizeof(float4) + sizeof n;"},
        {NULL, "n = (b[i] = 3, b[i + 1] = 4, n + 1); b[i + 2] = n;"},
        {NULL, "n += 3; n -= 2; n *= 2; n /= 3; n %= 5; n <<= 1; n >>= 1; n &= 7; n |= 8; n ^= 3; "
               "b[i] = n;"},
        {NULL, "b[i]++; ++b[i + 1]; b[i + 2]--; --b[i + 3]; b[i] = n++ + ++n - n-- - --n;"},
        {NULL, "x++; --x; a[i]++; v[i].x += 2; v[i].zw *= 3.f; a[i] = x;"},
        {NULL, "b[i] = 'a' + 0x10 + 010 + (int)1e3f + (int)2.5;"},
        {NULL,
         "v[i] = v[i] * x + (float4)(1, 2, 3, 4) - (float4)(x) + (float4)(v[i].xy, v[i].lo);"},
        {NULL, "v[i] = v[i] < v[i + 1] ? v[i] : v[i + 2]; v[i] = -v[i]; b[i] = (!(v[i] > x)).x;"},
        {NULL,
         "v[i].s0 = v[i].s3; v[i].hi = v[i].lo; v[i].even = v[i].odd; v[i].wzyx = v[i].xyzw;"},
        {NULL, "float8 q = (float8)(v[i], v[i + 1]); v[i] = q.s0246; v[i + 1] = "
               "q.s7700.s0101.lo.xyxy + q.hi;"},
        {NULL, "float16 q = 0; q.sabcd = v[i]; v[i] = q.s9ABC; a[i] = q.sF;"},
        {NULL, "float3 q = v[i].xyz; q.z = x; v[i].xyz = q.zyx; a[i] = q.hi.x;"},
        {NULL,
         "int4 m = (int4){1, 2, 3, 4}; float4 q = {x, 2, 3, 4}; v[i] = shuffle(q, as_uint4(m)); "},
        {NULL, "v[i] = shuffle2(v[i], v[i + 1], (uint4)(0, 5, 2, 7));"},
        {NULL, "a[i] = v[i][2] + ((global float *)&v[i])[1];"},
        /* memory */
        {NULL, "v[i] = vload4(i, a); vstore4(v[i], i, a); vstore3(v[i].xyz, i, a); v[i].xyz = "
               "vload3(i, a);"},
        {NULL, "global half *p = (global half *)c; a[i] = vload_half(i, p); vstore_half(x, i, p); "
               "vstore_half_rte(x, i, p);"},
        {NULL, "global half *p = (global half *)c; v[i] = vload_half4(i, p) + vloada_half4(i, p); "
               "vstorea_half4_rtz(v[i], i, p);"},
        {NULL, "atomic_add(b, 1); atomic_sub(b, n); atomic_inc(b); atomic_dec(b); atomic_xchg(b, "
               "2); atomic_cmpxchg(b, 1, 2);"},
        {NULL, "atomic_min(b, n); atomic_max(b, n); atomic_and(b, n); atomic_or(b, n); "
               "atomic_xor(b, n); atomic_xchg(a, x);"},
        {NULL, "atom_add(l, 1); atom_inc(l); atom_cmpxchg(l, 1, 2); b[i] = l[0];"},
        {NULL,
         "event_t e = async_work_group_copy(l, b, 64, 0); wait_group_events(1, &e); b[i] = l[0];"},
        {NULL, "event_t e = async_work_group_copy(b, l, 64, 0); wait_group_events(1, &e);"},
        {NULL, "event_t e = async_work_group_strided_copy(l, b, 64, 2, 0); e = "
               "async_work_group_strided_copy(b, l, 64, 2, e); wait_group_events(1, &e);"},
        {NULL,
         "local float t[64]; t[get_local_id(0)] = x; barrier(1); a[i] = t[63 - get_local_id(0)];"},
        {NULL, "float t[4] = {1, 2}; t[2] = x; t[n & 3] += 1; a[i] = t[0] + t[n & 1];"},
        {NULL, "int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; b[i] = t[1][2] + t[0][0];"},
        {NULL, "int t[2][3] = {1, 2, 3, 4}; b[i] = t[n & 1][u % 3];"},
        {NULL, "float4 t[2] = {(float4)(1), {1, 2, 3, 4}}; v[i] = t[0] + t[1];"},
        {"constant float k[4] = {1, 2, 3, 4};", "a[i] = k[n & 3] + k[2];"},
        {"constant int one = 1 << 3 | 2; constant float half_pi = 3.14f / 2;",
         "a[i] = one * half_pi;"},
        {"enum kind { A = 2, B, C = -1 }; typedef enum kind kind;",
         "kind k = B; b[i] = k + A + C;"},
        {"struct p { float x, y; int n[2]; }; struct q { struct p p[2]; };",
         "struct q q = {{{1, 2, {3, 4}}, {5, 6, {7, 8}}}}; q.p[1].x = x; a[i] = q.p[1].x + "
         "q.p[0].n[1];"},
        {"struct p { float x, y; };", "struct p p = {x, 1}, q; q = p; q.y = 2; struct p *r = &q; "
                                      "r->x += 1; a[i] = r->x + (*r).y;"},
        {"struct p { float x, y; }; struct p make(float x) { struct p p = {x, x + 1}; return p; }",
         "struct p p = make(x), q = make(2); p = n ? p : q; a[i] = p.x + p.y;"},
        {"struct p { float x, y; };", "global struct p *p = (global struct p *)a; struct p q = "
                                      "p[i]; q.x = 1; p[i + 1] = q; p[i].y = p[i + 2].x;"},
        {"struct p { uint lo : 4, hi : 12; int s : 5; };",
         "struct p p; p.lo = n; p.hi += 3; p.s = -1; b[i] = p.lo + p.hi + p.s;"},
        {"struct p { uint lo : 4, hi : 12; int s : 5; };",
         "global struct p *p = (global struct p *)b; p[i].hi = p[i].lo + p[i].s;"},
        {"union w { int n; float x; uchar c[4]; };",
         "union w q; q.x = x; b[i] = q.n + q.c[1]; q.c[2] = 3; a[i] = q.x;"},
        {"union w { ulong l; uint u[2]; ushort s[4]; };",
         "union w q; q.l = q.l; q.u[1] = u; q.s[0] = 2; b[i] = q.l >> 8;"},
        {NULL, "float4 q = v[i]; int *p = (int *)&q; p[1] = 3; v[i] = q; b[i] = p[2];"},
        {NULL, "double q = d; uint2 p = as_uint2(q); b[i] = p.x ^ p.y; uint *r = (uint *)&q; b[i + "
               "1] = r[1];"},
        /* pointers */
        {NULL, "global float *p = a + n; p += 2; *p = x; p[-1] = 2; *(p++) = 3; a[i] = *--p;"},
        {NULL, "b[i] = &a[n] - a; b[i + 1] = a + n > a + u; b[i + 2] = a == 0;"},
        {NULL, "global float *p = n ? a : (global float *)b; p[i] = 1; p += 3; a[0] = *p; b[i] = p "
               "== a;"},
        {NULL, "global float *p = a; if (n) p = (global float *)v; p[i] = p[i + 1];"},
        {NULL, "global float *p = a, *q = a + 64; for (int k = 0; k < n; k++) { global float *t = "
               "p; p = q; q = t; p[i] = q[i]; }"},
        {NULL, "for (global float *p = a; p < a + n; p++) *p = x; for (global float *p = a; p != a "
               "+ n; p += 2) *p = x;"},
        {NULL, "global float *p = 0; if (n) p = a; if (p) p[i] = 1; b[i] = !p; b[i + 1] = p && n;"},
        {NULL, "float t[8]; float *p = t; for (int k = 0; k < 8; k++) *p++ = k; a[i] = t[3];"},
        {NULL, "float t[2], *p[2] = {t, t + 1}; *p[0] = x; *p[1] = 2; a[i] = t[0] + t[1];"},
        {"void set(float *p, float x) { *p = x; } float get(const float *p) { return *p; }",
         "float y; set(&y, x); a[i] = get(&y);"},
        {"void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }",
         "int s = 1, t = 2; swap(&s, &t); b[i] = s - t;"},
        {"float of(global float *p, int n) { if (n > 3) return p[1]; for (int i = 0; i < n; i++) "
         "if (p[i] > 2) return p[i]; return 0; }",
         "a[i] = of(a, n) + of(a + 3, 2);"},
        {"int twice(int n); int twice(int n) { return 2 * n; } static inline int four(int n) { "
         "return twice(twice(n)); }",
         "b[i] = four(n);"},
        {"void nothing(void) {} void out(global int *b, int i) { if (i > 3) return; b[i] = 1; }",
         "nothing(); out(b, i); out(b, i + 1);"},
        /* control */
        {NULL, "if (n) b[i] = 1; else if (u) b[i] = 2; else b[i] = 3; if (n) ; else b[i] = 4;"},
        {NULL,
         "if (0) b[i] = 1; if (1) b[i] = 2; else b[i] = 3; if (1 > 2) b[i] = 4; else b[i] = 5;"},
        {NULL, "while (n > 0) { n -= 2; if (n == 7) break; if (n == 5) continue; b[n] = n; }"},
        {NULL,
         "do { n--; if (n == 3) continue; b[n] = 1; } while (n > 0); do b[i] = 1; while (0);"},
        {NULL, "for (;;) { if (b[i]++ > n) break; } for (int k = 0;;) { if (k++ > 3) break; }"},
        {NULL, "for (int k = 0, m = 9; k < m; k++, m--) b[k] = m; for (; n < 9;) n++; for (; n < "
               "20; n++) ; b[i] = n;"},
        {NULL, "for (uint k = u; k > 0; k >>= 1) { barrier(1); l[k] += l[2 * k]; } for (int k = 1; "
               "k < n; k *= 2) b[k] = k;"},
        {NULL, "for (float y = 0; y < x; y += .5f) a[i] += y; for (long k = z; k >= 0; --k) b[k] = "
               "0; for (int k = 10; k != 0; k -= 2) b[k] = 1;"},
        {NULL,
         "__attribute__((opencl_unroll_hint(4))) for (int k = 0; k < n; k++) b[k] = k;\n#pragma "
         "unroll 8\nfor (int k = 0; k < n; k++) b[k] += k;\n#pragma unroll\nwhile (n--) b[n] = 1;"},
        {NULL, "switch (n) { case 1: b[i] = 1; break; case 2: case 3: b[i] = 2; case 4: b[i] += 3; "
               "break; default: b[i] = 4; }"},
        {NULL, "switch (n) { default: b[i] = 4; case 1: b[i] = 1; } switch (n) { case 1: break; } "
               "switch (3) { case 3: b[i] = 7; }"},
        {NULL, "switch (u & 3) { case 0: { int t = n; b[i] = t; } break; case 1: for (;;) break; "
               "b[i] = 2; break; case 2: return; } b[i + 1] = 1;"},
        {NULL, "for (int k = 0; k < n; k++) switch (b[k]) { case 1: continue; case 2: b[k] = 3; "
               "break; default: b[k] = 4; }"},
        {NULL, "if (n) goto end; b[i] = 1; end: b[i + 1] = 2;"},
        {NULL, "again: b[i] = n--; if (n > 0) goto again; b[i + 1] = 2;"},
        {NULL, "if (n > 3) { if (u) goto out; b[i] = 3; } b[i] += 4; out: ;"},
        {NULL, "for (int k = 0; k < n; k++) { if (b[k] == 3) goto found; } b[i] = 1; return; "
               "found: b[i] = 2;"},
        {NULL, "one: if (n == 1) goto two; n--; if (n > 9) goto one; two: b[i] = n;"},
        {NULL, "{ int i = 3; b[i] = i; } ; { } b[i] = ({ int t = n; t * 2; });"},
        {NULL, "n = n > 3 && b[i] > 2 || u < 3 && b[i + 1]++; b[i] = n; b[i] = n ? u ? 1 : 2 : 3; "
               "b[i] = (n > 1) + (n && u) - (n || u);"},
        {NULL, "n ? (b[i] = 1) : (b[i] = 2); n && (b[i] = 3); n || (b[i] = 4);"},
        {NULL, "switch (n) { case 1: case 4 ... 6: b[i] = 3; break; case 9 ... 7: b[i] = 4; }"},
        {NULL, "b[i] = n ?: (b[i + 1] = 3) ?: z; b[i + 2] = 7 ?: n; b[i + 3] = 0 ?: n;"},
        {NULL, "global float *p = (n ? a : 0) ?: a + 3; *p = 1;"},
        /* strings */
        {NULL, "b[i] = \"text\"[n]; const constant char *s = \"more\"; b[i + 1] = s[n & 3];"},
        {NULL, "const char s[] = \"text\"; c[i] = s[n & 3]; struct { int k; char s[4]; } r = {1, "
               "\"abc\"}; c[i + 1] = r.s[2];"},
        {NULL,
         "char s[300] = \"text\"; c[i] = s[n]; char q[2][3] = {\"a\", {\"bc\"}}; c[0] = q[1][n];"},
        /* arrays as parameters are pointers, and change as such */
        {"float sum(float t[], int n) { float s = 0; while (n--) s += *t++; return s; }",
         "float t[8]; for (int k = 0; k < 8; k++) t[k] = k; a[i] = sum(t, n & 7);"},
        /* groups and sub-groups */
        {"#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n",
         "b[i] = sub_group_reduce_add(n) + sub_group_scan_exclusive_add(n) + "
         "sub_group_scan_inclusive_min(n) + sub_group_broadcast(n, 0) + sub_group_all(n) + "
         "sub_group_any(n);"},
};

static const struct form in_opencl_2[] = {
        {NULL, "b[i] = get_global_linear_id() + get_local_linear_id() + get_work_dim();"},
        {NULL, "b[i] = get_global_offset(0) + get_num_groups(1) + get_enqueued_local_size(0);"},
        {NULL, "work_group_barrier(CLK_LOCAL_MEM_FENCE); b[i] = 1;"},
        {NULL, "volatile global atomic_int *p = (volatile global atomic_int *)b; "
               "atomic_fetch_add(p, n); atomic_store(p, n); b[i] = atomic_load(p);"},
        {NULL, "volatile global atomic_int *p = (volatile global atomic_int *)b; atomic_init(p, "
               "0); int e = 1; b[i] = atomic_compare_exchange_strong(p, &e, 2) + e;"},
        {NULL,
         "volatile global atomic_int *p = (volatile global atomic_int *)b; "
         "atomic_fetch_max_explicit(p, n, memory_order_relaxed); b[i] = atomic_exchange(p, 1);"},
        {NULL, "generic float *p = a; a[i] = 1; "},
        {NULL, "b[i] = work_group_reduce_add(n) + work_group_scan_exclusive_min(n) + "
               "work_group_scan_inclusive_max(n);"},
        {NULL, "b[i] = work_group_all(n) + work_group_any(n) + work_group_broadcast(n, 0); a[i] = "
               "work_group_reduce_max(x);"},
        {NULL, "b[i] = get_sub_group_size() + get_max_sub_group_size() + get_num_sub_groups() + "
               "get_sub_group_id() + get_sub_group_local_id() + get_enqueued_num_sub_groups(); "
               "sub_group_barrier(1);"},
};

static void forms_in_the_language_are_analysed(void **state)
{
	(void)state;
	assert_analysed(in_the_language, sizeof in_the_language / sizeof in_the_language[0], NULL);
}

static void forms_of_opencl_2_are_analysed(void **state)
{
	(void)state;
	assert_analysed(in_opencl_2, sizeof in_opencl_2 / sizeof in_opencl_2[0], "-cl-std=CL2.0");
	/* there, pointers without an address space may be to any */
	assert_analysed(in_the_language, sizeof in_the_language / sizeof in_the_language[0],
	                "-cl-std=CL2.0");
}

/* ---- what is another spelling ---------------------------------------------------------------- */

static const struct form spellings[] = {
        {NULL, "b[i] = n ?: 3;", "b[i] = n ? n : 3;"},
        {NULL, "char s[4] = \"ab\"; b[i] = s[0] + s[1] + s[2];",
         "char s[4] = {'a', 'b'}; b[i] = s[0] + s[1] + s[2];"},
        {NULL, "char s[] = {\"ab\"}; b[i] = s[0] + s[1] + s[2] + sizeof s;",
         "char s[] = {'a', 'b', 0}; b[i] = s[0] + s[1] + s[2] + sizeof s;"},
        {"float of(global float t[4], int n) { t += n; ++t; t--; return *t++ + t[1] + *(t = t - "
         "2); }",
         "a[i] = of(a, n);",
         "global float *t = a; t += n; ++t; t--; a[i] = *t++ + t[1] + *(t = t - 2);"},
        {"struct p { int k; float s; }; float of(global struct p t[4], int n) { global float4 *q = "
         "(global float4 *)t; global struct p *r = n > 2 ? t : t + 1; t->s = 1; return r->s + "
         "q[n].y + "
         "(t + 2)->s + (r < t + 3 ? 1 : 2); }",
         "a[i] = of((global struct p *)a, n);",
         "struct p { int k; float s; }; global struct p *t = (global struct p *)a; global float4 "
         "*q = "
         "(global float4 *)t; global struct p *r = n > 2 ? t : t + 1; t->s = 1; a[i] = r->s + "
         "q[n].y + "
         "(t + 2)->s + (r < t + 3 ? 1 : 2);"},
        {"float of(float t[4]) { for (int k = 0; k < 2; k++) t[1] += 1; return t[1]; } float "
         "with(float "
         "*t) { for (int k = 0; k < 2; k++) t[1] += 1; return t[1]; }",
         "float t[4] = {1, 2, 3, 4}; a[i] = of(t);", "float t[4] = {1, 2, 3, 4}; a[i] = with(t);"},
        {NULL, "for (/* ; */ int k = 0; /* ; */; k++ /* ) */) { if (k >= n) break; b[k] = k; }",
         "for (int k = 0;; k++) { if (k >= n) break; b[k] = k; }"},
        {NULL, "for (int k = 0; k < n; /* nothing */) { b[k] = 1; k++; }",
         "for (int k = 0; k < n;) { b[k] = 1; k++; }"},
        {NULL, "int k = 0; for (; k < (n, u, n);) { b[k] = ';' == 59; k++; }",
         "int k = 0; for (; k < (n, u, n);) { b[k] = 1; k++; }"},
        {"#define UNTIL(k, n) ; k < n ;", "for (int k = 0 UNTIL(k, n) k++) b[k] = 1;",
         "for (int k = 0; k < n; k++) b[k] = 1;"},
        {"#define LOOP for (;;)", "LOOP { if (n-- < 0) break; b[n] = 1; }",
         "for (;;) { if (n-- < 0) break; b[n] = 1; }"},
        {"#define LOOP(k, n) for (int k = 0; k < n; )",
         "LOOP(k, n) { b[k] = 1; k++; } LOOP(k, u) { b[k] = 2; k++; }",
         "for (int k = 0; k < n;) { b[k] = 1; k++; } for (int k = 0; k < u;) { b[k] = 2; k++; }"},
        {NULL, "v[i] . xy = v [i] .\\\n zw;", "v[i].xy = v[i].zw;"},
        {"#define HIGH(v) (v).hi", "a[i] = HIGH(v[i]).y + HIGH(v[n]).x;",
         "a[i] = v[i].hi.y + v[n].hi.x;"},
        {"#define SWAP(v) v.wzyx", "v[i] = SWAP(v[i]) + SWAP(v[n]) + 1.5e+3f;",
         "v[i] = v[i].wzyx + v[n].wzyx + 1500.f;"},
        {NULL, "v[i] = v[n].s0123; v[i].lo.hi = v[n].odd.s1;", "v[i] = v[n]; v[i].y = v[n].w;"},
        {NULL, "global float4 *p = v + i; p->xy = p->zw; (*p).z = p[0].s0;",
         "v[i].xy = v[i].zw; v[i].z = v[i].x;"},
        {NULL, "b[i] = get_global_id(0) + get_global_id(1 - 1);",
         "b[i] = get_global_id(0) + get_global_id(0);"},
        {"enum { TWO = 2, MINUS = -TWO, FOUR = 1 << TWO, THREE = 13 % (TWO * 5), ONE = FOUR / 4 | "
         "0 };",
         "switch (n) { case TWO: b[i] = 1; break; case MINUS: b[i] = 2; break; case FOUR + 1: b[i] "
         "= 3; break; case THREE ^ 8: b[i] = 4; break; case (FOUR >> 1) + 4 - ONE * 7 & 31: b[i] = "
         "5; }",
         "switch (n) { case 2: b[i] = 1; break; case -2: b[i] = 2; break; case 5: b[i] = 3; break; "
         "case 11: b[i] = 4; break; case 31: b[i] = 5; }"},
        {"typedef float real; typedef real real4 __attribute__((ext_vector_type(4)));",
         "real4 q = v[i]; real y = q.x; v[i] = q * y;",
         "float4 q = v[i]; float y = q.x; v[i] = q * y;"},
        {NULL, "b[i] = n * 1 + 0; b[i + 1] = (n - n) + u * 0; b[i + 2] = n / 1 + -(-n);",
         "b[i] = n; b[i + 1] = 0; b[i + 2] = n + n;"},
        {NULL, "if (!(n > 3)) b[i] = 1; else b[i] = 2;", "if (n <= 3) b[i] = 1; else b[i] = 2;"},
        {"int one(void) { return 1; } int add(int a, int b) { return a + b; }",
         "b[i] = add(n, one());", "b[i] = n + 1;"},
        {"__attribute__((always_inline)) inline float half_of(float x) { return x / 2; }",
         "a[i] = half_of(x);", "a[i] = x / 2;"},
        {NULL,
         "switch (1) { case 0: b[i] = 1; break; case 1: b[i] = 2; break; default: b[i] = 3; }",
         "switch (2) { case 0: b[i] = 1; break; case 2: b[i] = 2; break; default: b[i] = 3; }"},
};

static void spellings_of_the_same_become_the_same(void **state)
{
	(void)state;
	assert_same(spellings, sizeof spellings / sizeof spellings[0], NULL);
}

/* ---- what is known before it runs -------------------------------------------------------------
 */

static const struct form constants[] = {
        /* through variables, so that the front-end does not see constant expressions */
        {NULL,
         "int p = 12, q = 5; b[i] = p + q - p * q / 7 % 4 + (p & q) + (p | q) + (p ^ q) + ~p;",
         "b[i] = 17 - 0 + 4 + 13 + 9 - 13;"},
        {NULL, "int p = -12, q = 5; b[i] = p / q * 100 + p % q; b[i + 1] = -p + !p + !!p;",
         "b[i] = -202; b[i + 1] = 13;"},
        {NULL,
         "int p = -16; uint q = 0xfffffff0u; b[i] = (p >> 2) + (p << 1); b[i + 1] = q >> 28; b[i + "
         "2] = q << 28;",
         "b[i] = -36; b[i + 1] = 15; b[i + 2] = 0;"},
        {NULL,
         "int p = 3, q = 4; b[i] = (p < q) + (p <= q) * 2 + (p > q) * 4 + (p >= q) * 8 + (p == q) "
         "* 16 + (p != q) * 32;",
         "b[i] = 35;"},
        {NULL,
         "uint p = 3, q = 0xffffffffu; b[i] = (p < q) + (p <= q) * 2 + (p > q) * 4; b[i + 1] = q / "
         "p; b[i + 2] = q % 10;",
         "b[i] = 3; b[i + 1] = 1431655765; b[i + 2] = 5;"},
        {NULL,
         "int p = 3, q = 4; b[i] = min(p, q) + 10 * max(p, q) + 1000 * "
         "clamp(p, q, 9);",
         "b[i] = 4043;"},
        {NULL,
         "uint p = 3, q = 0x80000000u; b[i] = min(p, q) + 10 * (max(p, q) == q) + 100 * (abs(p));",
         "b[i] = 313;"},
        {NULL, "int p = 1 << 30; b[i] = mul_hi(p, 16) + mul24(3, 4);", "b[i] = 16;"},
        {NULL, "float p = 2.5f, q = 4; a[i] = p + q - p * q + q / p - -p;", "a[i] = 0.6f;"},
        {NULL,
         "float p = 2.5f, q = 4; b[i] = (p < q) + (p <= q) * 2 + (p > q) * 4 + (p >= q) * 8 + (p "
         "== q) * 16 + (p != q) * 32 + !p;",
         "b[i] = 35;"},
        {NULL,
         "float p = 2.75f; b[i] = (int)p + (int)-p * 10 + (uint)p * 100; b[i + 1] = (char)(int)p; "
         "b[i + 2] = (bool)p;",
         "b[i] = 182; b[i + 1] = 2; b[i + 2] = 1;"},
        {NULL,
         "double p = 2.5; float q = (float)p; int r = (int)(p * 2); a[i] = q + r; b[i] = (long)p;",
         "a[i] = 7.5f; b[i] = 2;"},
        {NULL,
         "char p = 100; p = p + 100; uchar q = 200; q += 100; short r = 40000; b[i] = p + q + r;",
         "b[i] = -56 + 44 - 25536;"},
        {NULL,
         "long p = 1L << 40; ulong q = (ulong)p; b[i] = p >> 38; b[i + 1] = q / 1000000000UL; b[i "
         "+ 2] = (int)(p + 7);",
         "b[i] = 4; b[i + 1] = 1099; b[i + 2] = 7;"},
        {NULL, "int p = 7; b[i] = p ? 3 : 4; if (p > 6) b[i + 2] = 1; else b[i + 3] = 2;",
         "b[i] = 3; b[i + 2] = 1;"},
        {NULL,
         "b[i] = n + 0 + (n & 0) + (n | 0) + (n ^ 0) + (n << 0) + (n >> 0) + n / 1 + n % 1 + n * "
         "0;",
         "b[i] = n + n + n + n + n + n;"},
        {NULL,
         "b[i] = (n ^ n) + (n & n) - (n | n) + (n - n) + (n == n) + (n < n) + (n <= n) + min(n, n) "
         "- max(n, n);",
         "b[i] = 2;"},
        {NULL, "b[i] = n + -u + (0 - n) + (n + 3 - 3) + (n - 3 + 3) + (n + 5 + 6) + n * 3 * 5;",
         NULL},
        {NULL, "b[i] = n / 8 * 8 + n % 8; b[i + 1] = (n + u) - n; b[i + 3] = (n - u) + u;",
         "b[i] = n; b[i + 1] = u; b[i + 3] = n;"},
        {NULL,
         "a[i] = x * 1 + 0; a[i + 1] = x / 1 - 0; a[i + 2] = -(-x); b[i] = !(n < 3); b[i + 1] = "
         "!!(n == 3); b[i + 2] = (n != 3) != 0;",
         "a[i] = x + 0; a[i + 1] = x; a[i + 2] = x; b[i] = n >= 3; b[i + 1] = n == 3; b[i + 2] = n "
         "!= 3;"},
        {NULL, "b[i] = (n < 3) == 0; b[i + 1] = !(n == 3); b[i + 4] = n ? n : n;",
         "b[i] = n >= 3; b[i + 1] = n != 3; b[i + 4] = n;"},
};

static void constants_and_identities_fold(void **state)
{
	(void)state;
	assert_same(constants, sizeof constants / sizeof constants[0], NULL);
}

/* ---- what is not in the language ---------------------------------------------------------------
 */

static const struct form refused[] = {
        {"int again(int n) { return n > 0 ? again(n - 1) + 1 : 0; }", "b[i] = again(n);",
         "recursion"},
        {"int odd(int n); int even(int n) { return n == 0 || odd(n - 1); } int odd(int n) { return "
         "n != 0 && even(n - 1); }",
         "b[i] = even(n);", "recursion"},
        {"int nowhere(int n);", "b[i] = nowhere(n);", "nowhere"},
        {NULL, "global float *p = (global float *)z; *p = 1;", "pointer"},
        {NULL, "b[i] = (int)(long)a;", NULL},
        {NULL, "global float *t[4]; t[n] = a; *t[u] = 1;", "pointer without a value"},
        {NULL, "for (int k = 0; k < 2; k++) { if (n) goto in; } if (u) { in: b[i] = 1; }",
         "goto into a block"},
        {NULL, "goto in; for (int k = 0; k < n; k++) { in: b[k] = 1; }", "goto into a block"},
        {"struct p { global float *q; };",
         "global struct p *p = (global struct p *)a; p->q[0] = 1;", "somewhere in a"},
        {NULL, "asm(\"nop\"); b[i] = 1;", "inline assembly"},
        {"#define A16 a, a + 1, a + 2, a + 3\n", "global float *t[] = {A16}; *t[n & 3] = 1;", NULL},
        {NULL, "float big[300]; for (int k = 0; k < 300; k++) big[k] = k; b[i] = big[n];", NULL},
};

static void forms_outside_the_language_have_a_reason(void **state)
{
	(void)state;
	assert_refused(refused, sizeof refused / sizeof refused[0], NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(forms_in_the_language_are_analysed),
	        cmocka_unit_test(forms_of_opencl_2_are_analysed),
	        cmocka_unit_test(spellings_of_the_same_become_the_same),
	        cmocka_unit_test(constants_and_identities_fold),
	        cmocka_unit_test(forms_outside_the_language_have_a_reason),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend forms", tests, NULL, NULL);
}
