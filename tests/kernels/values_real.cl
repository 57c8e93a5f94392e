/* SPDX-License-Identifier: Apache-2.0 */
/* Reals as they are computed: trip counts that float, double and half arguments give. */
// launch: global=64 local=64 args=buffer:4K:w,float:2.5,float:-7.75,double:1e10,half:1.5,int:9,ulong:18446744073709551615,uint:4000000000
// expect: kernel reals
// expect: trips 38 6
// expect: trips 39 10
// expect: trips 40 19
// expect: trips 41 3
// expect: trips 42 2
// expect: trips 43 3
// expect: trips 44 12
// expect: trips 45 4
// expect: trips 46 13
// expect: trips 47 7
// expect: trips 48 5
// expect: trips 49 5
// expect: trips 50 6
// expect: trips 51 8
// expect: trips 52 10
// expect: trips 53 11
// expect: trips 54 9
// expect: trips 55 22
// expect: trips 56 5
// expect: trips 57 9
// expect: trips 58 18
// expect: trips 59 4
// expect: trips 60 18
// expect: trips 61 7
// expect: trips 62 5
// expect: trips 63 8
// expect: trips 64 8
// expect: trips 65 6
// expect: trips 66 4
kernel void reals(global int *out, float x, float y, double d, half h, int n, ulong w, uint u)
{
	size_t i = get_global_id(0);

	for (int k = 0; k < (int)(x + y + 12.0f); k++) out[i] = k;
	for (int k = 0; k < (int)(x - y); k++) out[i] = k;
	for (int k = 0; k < (int)(x * -y); k++) out[i] = k;
	for (int k = 0; k < (int)(-y / x); k++) out[i] = k;
	for (int k = 0; k < (int)fma(x, 4.0f, y); k++) out[i] = k;
	for (int k = 0; k < (int)min(x, y) + 10; k++) out[i] = k;
	for (int k = 0; k < (int)max(x, y) + 10; k++) out[i] = k;
	for (int k = 0; k < (int)min(y, x) + 11; k++) out[i] = k;
	for (int k = 0; k < (int)max(y, x) + 11; k++) out[i] = k;
	for (int k = 0; k < (int)fabs(y); k++) out[i] = k;
	for (int k = 0; k < (int)sqrt(x * x * 4); k++) out[i] = k;
	for (int k = 0; k < (int)floor(y) + 13; k++) out[i] = k;
	for (int k = 0; k < (int)ceil(y) + 13; k++) out[i] = k;
	for (int k = 0; k < (int)trunc(y) + 15; k++) out[i] = k;
	for (int k = 0; k < (int)native_sqrt(d / 1e8); k++) out[i] = k;
	for (int k = 0; k < (int)(d / 1e9 + h); k++) out[i] = k;
	for (int k = 0; k < (int)(h * h * 4); k++) out[i] = k;
	for (int k = 0; k < (x < y) + 2 * (x > y) + 4 * (x <= 2.5f) + 8 * (x >= 3) + 16 * (x == 2.5f) + 32 * (x != 2.5f); k++) out[i] = k;
	for (int k = 0; k < 3 + !x + 2 * !(x - 2.5f); k++) out[i] = k;
	for (int k = 0; k < (x != 0 ? n : 1); k++) out[i] = k;
	for (int k = 0; k < (int)((float)w / 1e18f); k++) out[i] = k;
	for (int k = 0; k < (int)((double)u / 1e9); k++) out[i] = k;
	for (int k = 0; k < (uchar)(float)n * 2; k++) out[i] = k;
	for (int k = 0; k < (int)((float)(double)x * 3); k++) out[i] = k;
	for (float f = x; f < 10; f += 1.5f) out[i] = f;
	for (float f = 10; f > y; f -= x) out[i] = f;
	for (double f = 1; f <= d; f += d / 8) out[i] = f;
	for (float f = x; f < 100; f *= 2) out[i] = f;
	for (float f = x; f != 12.5f; f += x) out[i] = f;
}
