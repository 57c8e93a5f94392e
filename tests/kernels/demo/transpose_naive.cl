/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix transposed straight from global memory to global memory: coalesced reads, strided
 * writes. */
// launch: global=2048,2048 local=32,8 args=buffer:16M:r,buffer:16M:w,int:2048,int:2048
// expect: kernel transpose_naive
// expect: written mul.int 2
// expect: written add.int 2
// expect: accesses 2
// expect: load in coalesced
// expect: store out uncoalesced
// expect: segments in 4
// expect: segments out 32
// expect: barriers 0
kernel void transpose_naive(global const float *in, global float *out, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	out[x * height + y] = in[y * width + x];
}
