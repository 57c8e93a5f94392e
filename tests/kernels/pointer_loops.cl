/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that loops move: what they count in, and how often until they meet. */
// launch: global=64 local=64 args=buffer:64K:rw,buffer:64K:rw,buffer:4K:w,int:12
// expect: kernel walks
// expect: trips 40 12
// expect: trips 41 6
// expect: trips 42 4
// expect: trips 43 6
// expect: trips 44 3
// expect: trips 45 3
// expect: trips 46 12
// expect: trips 47 6
// expect: trips 48 8
// expect: trips 49 3
// expect: trips 50 3
// expect: trips 52 12
// expect: trips 53 2
// expect: trips 54 12
// expect: trips 55 12
// expect: trips 57 12
// expect: trips 59 12
// expect: trips 61 12
// expect: trips 63 4
// expect: trips 64 4
struct cursor {
	global float *at, *end;
};

global float *after(global float *p, int n)
{
	return p + n;
}

kernel void walks(global float *a, global float *b, global int *out, int n)
{
	size_t i = get_global_id(0);
	global float *p, *q;
	local float tile[32];

	for (p = a; p < a + n; p++) *p = 1;
	for (p = a + n; p > a; p -= 2) *p = 1;
	for (p = a; p != a + n; p += 3) *p = 1;
	for (p = a, q = a + n; p < q; p++, q--) *p = 1;
	for (p = a, q = b; q - b < n; p++, q += 4) *q = *p;
	for (global char *c = (global char *)a + 2; c <= (global char *)a + n; c += 5) *c = 1;
	for (p = (global float *)((global char *)a + 2); p < a + n; p++) *p = 1;
	for (int k = (p = n > 3 ? a : b, 0); k < n; k += 2) *p++ = 1;
	for (p = after(a, 4); p < after(a, n); p++) *p = 1;
	for (local float *t = tile; t < tile + 32; t += n) *t = 1;
	for (global float4 *v = (global float4 *)a; v < (global float4 *)a + n; v += 4) *v = 2;
	struct cursor c = {a, a + n};
	for (; c.at < c.end; c.at++) *c.at = 1;
	for (c.at = a; c.at < c.end; c.at += 5, c.end--) *c.at = 1;
	for (int k = 0; k < n; k++) { global float *t = p; p = q; q = t; *p = k; }
	for (int k = 0; k < n; k++) { p = k & 1 ? a : b; p[k] = 1; q = p + 1; *q = 2; }
	p = 0;
	for (int k = 0; k < n; k++) { if (k == 0) p = a; *p++ = k; }
	global float *fresh;
	for (int k = 0; k < n; k++) { fresh = b + k; *fresh = 1; }
	float s = 0, t = 1, *r = &s;
	for (int k = 0; k < n; k++) { *r += k; r = k & 1 ? &s : &t; }
	float m[4] = {1, 2, 3, 4}, *w = m;
	for (int k = 0; k < 4; k++) s += *w++;
	for (w = m; w < m + 4; w++) s += *w;
	a[i] = s + t;
}
