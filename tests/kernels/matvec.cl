/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix times a vector, one row per work-item: neighbours read rows far apart. */
// launch: global=4096 local=64 args=buffer:16M:r,buffer:4K:r,buffer:16K:w,int:1024
// expect: kernel matvec
// expect: written mul.float 1024
// expect: written add.float 1024
// expect: trips 17 1024
// expect: accesses 3
// expect: segments a 32
// expect: segments x 1
// expect: segments y 4
kernel void matvec(global const float *a, global const float *x, global float *y, int columns)
{
	int row = get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < columns; k++)
		sum += a[row * columns + k] * x[k];
	y[row] = sum;
}
