/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of vectors: which scalar each is, by the rounds that it makes. */
// launch: global=64 local=64 args=buffer:4K:w,int4:1,2,3,4,int2:7,8,int:5,int:9
// expect: kernel lanes
// expect: trips 38 5
// expect: trips 39 3
// expect: trips 40 3
// expect: trips 41 7
// expect: trips 42 13
// expect: trips 43 9
// expect: trips 44 8
// expect: trips 45 9
// expect: trips 46 4
// expect: trips 47 8
// expect: trips 48 9
// expect: trips 49 8
// expect: trips 50 13
// expect: trips 53 7
// expect: trips 54 3
// expect: trips 55 5
// expect: trips 58 5
// expect: trips 59 9
// expect: trips 60 9
// expect: trips 61 4
// expect: trips 62 5
// expect: trips 63 9
// expect: trips 64 7
// expect: trips 65 9
// expect: trips 66 8
kernel void lanes(global int *out, int4 q, int2 p, int n, int m)
{
	size_t i = get_global_id(0);
	int4 r = (int4)(p, n, m), s = r, t = q;
	int2 w = (int2)(n, m);
	int8 e = (int8)(q, r);
	int3 h = (int3)(n, p);

	for (int k = 0; k < q.x + q.w; k++) out[i] = k;
	for (int k = 0; k < q.zy.x; k++) out[i] = k;
	for (int k = 0; k < q.hi.lo; k++) out[i] = k;
	for (int k = 0; k < r.x; k++) out[i] = k;
	for (int k = 0; k < r.y + r.z; k++) out[i] = k;
	for (int k = 0; k < r.w; k++) out[i] = k;
	for (int k = 0; k < r.wzyx.z; k++) out[i] = k;
	for (int k = 0; k < r.zw.yx.x; k++) out[i] = k;
	for (int k = 0; k < e.s3; k++) out[i] = k;
	for (int k = 0; k < e.s5; k++) out[i] = k;
	for (int k = 0; k < e.s67.y; k++) out[i] = k;
	for (int k = 0; k < e.odd.z; k++) out[i] = k;
	for (int k = 0; k < h.x + h.z; k++) out[i] = k;
	s.y = 3;
	s.w = n;
	for (int k = 0; k < s.x; k++) out[i] = k;
	for (int k = 0; k < s.y; k++) out[i] = k;
	for (int k = 0; k < s.w; k++) out[i] = k;
	t.xz = w;
	t.y = m;
	for (int k = 0; k < t.x; k++) out[i] = k;
	for (int k = 0; k < t.y; k++) out[i] = k;
	for (int k = 0; k < t.z; k++) out[i] = k;
	for (int k = 0; k < t.w; k++) out[i] = k;
	for (int k = 0; k < ((int4)(n)).z; k++) out[i] = k;
	for (int k = 0; k < ((int4)(w, w.yx)).z; k++) out[i] = k;
	for (int k = 0; k < ((int4)(w.x, p, w.y)).y; k++) out[i] = k;
	for (int k = 0; k < ((int2)(n, m).yx).x; k++) out[i] = k;
	for (int k = 0; k < ((int4)(1, p, n)).s2; k++) out[i] = k;
}
