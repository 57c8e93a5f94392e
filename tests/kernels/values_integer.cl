/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of every width as C computes them: trip counts that arguments give, worked out by hand. */
// launch: global=64 local=64 args=buffer:4K:w,int4:5,6,7,9,int:29,int:-7,uint:3000000000,long:-40,ulong:9223372036854775832,short:-300,char:-1
// expect: kernel integers
// expect: trips 55 6
// expect: trips 56 7
// expect: trips 57 7
// expect: trips 58 6
// expect: trips 59 9
// expect: trips 60 9
// expect: trips 61 32
// expect: trips 62 4
// expect: trips 63 4
// expect: trips 64 20
// expect: trips 65 33
// expect: trips 66 4
// expect: trips 67 6
// expect: trips 68 12
// expect: trips 69 11
// expect: trips 70 16
// expect: trips 71 16
// expect: trips 72 4
// expect: trips 73 29
// expect: trips 74 4
// expect: trips 75 6
// expect: trips 76 3
// expect: trips 77 20
// expect: trips 78 13
// expect: trips 79 6
// expect: trips 80 36
// expect: trips 81 7
// expect: trips 82 8
// expect: trips 83 11
// expect: trips 84 16
// expect: trips 85 20
// expect: trips 86 4
// expect: trips 87 30
// expect: trips 88 8
// expect: trips 89 3
// expect: trips 90 7
// expect: trips 91 3
// expect: trips 92 5
// expect: trips 93 11
// expect: trips 94 5
// expect: trips 95 12
// expect: trips 96 45
// expect: trips 97 4
// expect: trips 98 14
// expect: trips 99 7
// expect: trips 100 36
kernel void integers(global int *out, int4 q, int n, int m, uint u, long z, ulong w, short s, char c)
{
	size_t i = get_global_id(0);

	for (int k = 0; k < (n / m + 10); k++) out[i] = k;
	for (int k = 0; k < (m % 4 + 10); k++) out[i] = k;
	for (int k = 0; k < (m / -1); k++) out[i] = k;
	for (int k = 0; k < (u / 500000000u); k++) out[i] = k;
	for (int k = 0; k < ((int)(u % 1000000007u / 100000000u)); k++) out[i] = k;
	for (int k = 0; k < ((int)(w / 1000000000000000000ul)); k++) out[i] = k;
	for (int k = 0; k < ((int)(w % 100ul)); k++) out[i] = k;
	for (int k = 0; k < (z / -n + 3); k++) out[i] = k;
	for (int k = 0; k < ((int)(z % 7l) + 9); k++) out[i] = k;
	for (int k = 0; k < (n & 22); k++) out[i] = k;
	for (int k = 0; k < ((n | 64) - 60); k++) out[i] = k;
	for (int k = 0; k < (n ^ m & 31); k++) out[i] = k;
	for (int k = 0; k < (~m); k++) out[i] = k;
	for (int k = 0; k < (m >> 1 & 15); k++) out[i] = k;
	for (int k = 0; k < ((int)(u >> 28)); k++) out[i] = k;
	for (int k = 0; k < ((int)(w >> 59)); k++) out[i] = k;
	for (int k = 0; k < ((n << 2) - 100); k++) out[i] = k;
	for (int k = 0; k < ((int)(u << 3 >> 29)); k++) out[i] = k;
	for (int k = 0; k < (n << (n + 4) >> 1); k++) out[i] = k;
	for (int k = 0; k < ((n < m) + 2 * (n <= n + m) + 4 * (n == 29) + 8 * (n != 29)); k++) out[i] = k;
	for (int k = 0; k < ((u < (uint)n) + 2 * (u <= u + 1) + 4 * (w > 5ul) + 8 * (w < 5ul)); k++) out[i] = k;
	for (int k = 0; k < (min(n, m) + 10); k++) out[i] = k;
	for (int k = 0; k < (max(n, m) - 9); k++) out[i] = k;
	for (int k = 0; k < ((int)min(u, 12u + (uint)n / 29)); k++) out[i] = k;
	for (int k = 0; k < ((int)(max(w, 7ul) - w) + 6); k++) out[i] = k;
	for (int k = 0; k < ((int)min(w, 7ul + (ulong)n)); k++) out[i] = k;
	for (int k = 0; k < ((int)abs(m)); k++) out[i] = k;
	for (int k = 0; k < ((int)(abs(w) >> 60)); k++) out[i] = k;
	for (int k = 0; k < ((int)mul_hi(u, 16u)); k++) out[i] = k;
	for (int k = 0; k < (mul_hi(m << 28, 32) + 30); k++) out[i] = k;
	for (int k = 0; k < (mad24(n, 3, m) - 60); k++) out[i] = k;
	for (int k = 0; k < (popcount(n)); k++) out[i] = k;
	for (int k = 0; k < (popcount(m)); k++) out[i] = k;
	for (int k = 0; k < (popcount(c)); k++) out[i] = k;
	for (int k = 0; k < ((int)popcount(w)); k++) out[i] = k;
	for (int k = 0; k < (-m); k++) out[i] = k;
	for (int k = 0; k < (!n + !(n - 29) + 2 * !!m); k++) out[i] = k;
	for (int k = 0; k < (n > 3 ? m + 12 : 90); k++) out[i] = k;
	for (int k = 0; k < (select(4, 11, n > 3)); k++) out[i] = k;
	for (int k = 0; k < (s / 100 + 8); k++) out[i] = k;
	for (int k = 0; k < ((uchar)c / 20); k++) out[i] = k;
	for (int k = 0; k < ((short)(s * 200) % 100 + 9); k++) out[i] = k;
	for (int k = 0; k < ((bool)m + (bool)(n - 29) + 3); k++) out[i] = k;
	for (int k = 0; k < (q.x + q.w); k++) out[i] = k;
	for (int k = 0; k < ((int)abs_diff(3u, u - 2999999990u)); k++) out[i] = k;
	for (int k = 0; k < ((int)abs_diff(m, n)); k++) out[i] = k;
}
