// SPDX-License-Identifier: Apache-2.0
// Trips that follow from arguments through each operator that the evaluation knows.
// launch: global=64 local=64 args=buffer:4K:rw,int:100,uint:7,float:2.5,long:-3
// expect: kernel trips
// expect: trips 55 64
// expect: trips 56 100
// expect: trips 57 3
// expect: trips 58 50
// expect: trips 59 4
// expect: trips 60 101
// expect: trips 61 96
// expect: trips 62 2
// expect: trips 63 3
// expect: trips 64 25
// expect: trips 65 28
// expect: trips 66 2
// expect: trips 67 14
// expect: trips 68 10
// expect: trips 69 5
// expect: trips 70 2
// expect: trips 71 5
// expect: trips 72 5
// expect: trips 73 5
// expect: trips 74 2
// expect: trips 75 3
// expect: trips 76 2
// expect: trips 77 2
// expect: trips 78 6
// expect: trips 79 3
// expect: trips 80 3
// expect: trips 81 6
// expect: trips 82 10
// expect: trips 83 9
// expect: trips 84 4
// expect: trips 85 6
// expect: trips 86 4
// expect: trips 87 3
// expect: trips 88 3
// expect: trips 89 2
// expect: trips 90 56
// expect: trips 91 44
// expect: trips 92 100
// expect: trips 93 7
// expect: trips 94 9
// expect: trips 95 1
// expect: trips 96 2
// expect: trips 97 8
// expect: trips 98 2
// expect: trips 99 2
// expect: trips 100 7
kernel void trips(global int *out, int n, uint u, float x, long z)
{
	int i = get_global_id(0), s = 0;

	for (int k = 0; k < (min(n, 64)); k++) s += out[k];
	for (int k = 0; k < (max(n, 64)); k++) s += out[k];
	for (int k = 0; k < ((int)abs((int)z)); k++) s += out[k];
	for (int k = 0; k < (clamp(n, 0, 50)); k++) s += out[k];
	for (int k = 0; k < (n & 12); k++) s += out[k];
	for (int k = 0; k < (n | 1); k++) s += out[k];
	for (int k = 0; k < (n ^ 4); k++) s += out[k];
	for (int k = 0; k < ((int)~z); k++) s += out[k];
	for (int k = 0; k < ((int)-z); k++) s += out[k];
	for (int k = 0; k < (n >> 2); k++) s += out[k];
	for (int k = 0; k < (u << 2); k++) s += out[k];
	for (int k = 0; k < (n % 7); k++) s += out[k];
	for (int k = 0; k < (n / 7); k++) s += out[k];
	for (int k = 0; k < (n - 90); k++) s += out[k];
	for (int k = 0; k < (n * 2 - 195); k++) s += out[k];
	for (int k = 0; k < ((int)x); k++) s += out[k];
	for (int k = 0; k < ((int)(x * 2)); k++) s += out[k];
	for (int k = 0; k < ((int)(x / 0.5f)); k++) s += out[k];
	for (int k = 0; k < ((int)sqrt(x * 10)); k++) s += out[k];
	for (int k = 0; k < ((int)floor(x)); k++) s += out[k];
	for (int k = 0; k < ((int)ceil(x)); k++) s += out[k];
	for (int k = 0; k < ((int)trunc(x)); k++) s += out[k];
	for (int k = 0; k < ((int)fabs(-x)); k++) s += out[k];
	for (int k = 0; k < ((int)fma(x, 2.0f, 1.0f)); k++) s += out[k];
	for (int k = 0; k < ((int)(x + 1 - 0.5f)); k++) s += out[k];
	for (int k = 0; k < (popcount(u)); k++) s += out[k];
	for (int k = 0; k < (mul_hi(n << 24, 16)); k++) s += out[k];
	for (int k = 0; k < (mad24(n, 2, -190)); k++) s += out[k];
	for (int k = 0; k < (n > 50 ? 9 : 4); k++) s += out[k];
	for (int k = 0; k < (x < 2 ? 9 : 4); k++) s += out[k];
	for (int k = 0; k < (select(5, 6, n > 3)); k++) s += out[k];
	for (int k = 0; k < ((n == 100) + 3); k++) s += out[k];
	for (int k = 0; k < (!(n == 100) + 3); k++) s += out[k];
	for (int k = 0; k < ((n != 100) + (n >= 100) + (x <= 2.5f) + 1); k++) s += out[k];
	for (int k = 0; k < (convert_int_rte(x)); k++) s += out[k];
	for (int k = 0; k < (-(char)(n + 100)); k++) s += out[k];
	for (int k = 0; k < ((uchar)(n + 200)); k++) s += out[k];
	for (int k = 0; k < ((short)(n + 65536)); k++) s += out[k];
	for (int k = 0; k < ((int)(z + 10)); k++) s += out[k];
	for (int k = 0; k < ((int)(z * z)); k++) s += out[k];
	for (int k = 0; k < ((int)(-z / 2)); k++) s += out[k];
	for (int k = 0; k < ((int)(z % 2 + 3)); k++) s += out[k];
	for (int k = 0; k < ((uint)get_local_size(0) / 8); k++) s += out[k];
	for (int k = 0; k < ((int)get_num_groups(0) + 1); k++) s += out[k];
	for (int k = 0; k < ((int)get_work_dim() + 1); k++) s += out[k];
	for (int k = 0; k < (((int2)(n, 7)).y); k++) s += out[k];
	out[i] = s;
}
