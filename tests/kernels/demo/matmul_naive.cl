/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B, one work-item per element, rows and columns read from global memory. */
// launch: global=512,512 local=32,8 args=buffer:1M:r,buffer:1M:r,buffer:1M:w,int:512
// expect: kernel matmul_naive
// expect: written mul.float 512
// expect: written add.float 512
// expect: trips 19 512
// expect: accesses 3
// expect: segments a 1
// expect: segments b 4
// expect: segments c 4
// expect: barriers 0
kernel void matmul_naive(global const float *a, global const float *b, global float *c, int n)
{
	int column = get_global_id(0);
	int row = get_global_id(1);
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + column];
	c[row * n + column] = sum;
}
