/* SPDX-License-Identifier: Apache-2.0 */
/* One step of Jacobi's iteration on a dense system: all but the diagonal. */
// launch: global=1024 local=64 args=buffer:4M:r,buffer:4K:r,buffer:4K:r,buffer:4K:w,int:1024
// expect: kernel jacobi
// expect: trips 17 1024
// expect: written div.float 1
// expect: emitted div.float 1
// expect: segments a 32
// expect: segments x 1
// expect: segments next 4
kernel void jacobi(global const float *a, global const float *b, global const float *x,
                   global float *next, int n)
{
	int i = get_global_id(0);
	float sum = 0.0f;

	for (int j = 0; j < n; j++)
		if (j != i)
			sum += a[i * n + j] * x[j];
	next[i] = (b[i] - sum) / a[i * n + i];
}
