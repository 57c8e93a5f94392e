/* SPDX-License-Identifier: Apache-2.0 */
/* Loops by what ends them: every comparison, steps either way, wrapping counters, ends that move. */
// launch: global=256 local=64 args=buffer:4K:w,int:20,uint:20,long:20,int:3,uchar:250
// expect: kernel ends
// expect: trips 48 7
// expect: trips 49 6
// expect: trips 50 7
// expect: trips 51 7
// expect: trips 52 5
// expect: trips 53 4
// expect: trips 54 20
// expect: trips 55 20
// expect: trips 56 3
// expect: trips 57 5
// expect: trips 58 5
// expect: trips 59 5
// expect: trips 60 4
// expect: trips 61 7
// expect: trips 62 4
// expect: trips 63 10
// expect: trips 64 20
// expect: trips 65 5
// expect: trips 66 4
// expect: trips 67 4
// expect: trips 68 3
// expect: trips 69 5
// expect: trips 70 25
// expect: trips 71 6
// expect: trips 72 20
// expect: trips 73 20
// expect: trips 74 0
// expect: trips 75 5
// expect: trips 76 2
// expect: trips 77 5
// expect: trips 78 3
// expect: trips 79 3
// expect: trips 80 13
// expect: trips 81 9
// expect: trips 82 20
// expect: trips 83 20
// expect: trips 84 10
// expect: trips 85 10
kernel void ends(global int *out, int n, uint u, long z, int step, uchar c)
{
	size_t i = get_global_id(0);
	int m = n;

	for (int k = 0; k < n; k += step) out[i] = k;
	for (int k = 0; k <= n; k += step + 1) out[i] = k;
	for (int k = n; k > 0; k -= step) out[i] = k;
	for (int k = n; k >= 0; k -= step) out[i] = k;
	for (int k = 0; k != n; k += step + 1) out[i] = k;
	for (int k = n; k != 0; k -= step + 2) out[i] = k;
	for (int k = n; k; k--) out[i] = k;
	for (uint k = u; k-- > 0;) out[i] = k;
	for (uint k = 0; k < u; k += 8) out[i] = k;
	for (long k = -z; k < z; k += 9) out[i] = k;
	for (int k = 1; k < n; k <<= 1) out[i] = k;
	for (uint k = u; k > 0; k >>= 1) out[i] = k;
	for (int k = n; k > 1; k /= 2) out[i] = k;
	for (int k = 1; k < 1000; k *= step) out[i] = k;
	for (int k = 2; k < n * n; k = k * k) out[i] = k;
	for (int k = 0, j = n; k < j; k++, j--) out[i] = k + j;
	for (int k = 0, j = n; k < j; k += 2, j++) out[i] = k + j;
	for (int k = 0; k * k < n; k++) out[i] = k;
	for (int k = 0; !(k >= n); k += 6) out[i] = k;
	for (int k = 0; (k < n) != 0; k += 6) out[i] = k;
	for (int k = 0; (bool)(k < n); k += 7) out[i] = k;
	for (int k = 0; k < n && k < 5; k++) out[i] = k;
	for (int k = 0; k < n || k < 25; k++) out[i] = k;
	for (uchar k = c; k >= 250; k++) out[i] = k;
	for (short k = 0; k < n; k++) out[i] = k;
	for (int k = 0; k < n;) out[i] = k++;
	for (int k = n; k < n; k++) out[i] = k;
	for (int k = 0; k < (int)(i & 1) * 10; k++) out[i] = k;
	for (int k = i & 3; k < 8; k += 4) out[i] = k;
	do out[i] = m; while (--m > 15);
	do { out[i] = m; m += 5; } while (m != 30);
	while (m > 0) { out[i] = m; m -= 10; }
	for (int k = 0; k < n; k++) if (k == 12) break;
	for (int k = 0; k < n; k++) { if (k * k > 50) break; out[i] = k; }
	for (int k = 0; ; k++) { if (k == n) break; out[i] = k; }
	for (int k = 0; k < n; k++) { if (k % 2) continue; out[i] = k; }
	for (int k = 0; k < n; k++) { n--; out[i] = k; }
	while (n--) out[i] = n;
}
