/* SPDX-License-Identifier: Apache-2.0 */
/* The mean of a point and its four neighbours; the arrays have a border of one. */
// launch: global=2048,2048 local=32,8 args=buffer:16810000:r,buffer:16810000:w,int:2050
// expect: kernel stencil5
// expect: written mul.float 1
// expect: written add.float 4
// expect: written add.int 5
// expect: written mul.int 1
// expect: written add.long 2
// expect: accesses 6
// expect: emitted mul.float 1
// expect: emitted add.float 4
// expect: store out coalesced
// expect: load in coalesced
// expect: barriers 0
kernel void stencil5(global const float *in, global float *out, int width)
{
	int x = get_global_id(0) + 1;
	int y = get_global_id(1) + 1;
	int i = y * width + x;

	out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
