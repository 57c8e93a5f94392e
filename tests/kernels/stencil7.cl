/* SPDX-License-Identifier: Apache-2.0 */
/* The seven-point stencil of a heat equation in three dimensions, with a border of one. */
// launch: global=128,64,64 local=32,4,2 args=buffer:2265120:r,buffer:2265120:w,int:130,int:66,float:0.1
// expect: kernel stencil7
// expect: written mul.float 2
// expect: written add.float 7
// expect: accesses 8
// expect: store out coalesced
// expect: barriers 0
kernel void stencil7(global const float *in, global float *out, int width, int height, float k)
{
	int x = get_global_id(0) + 1;
	int y = get_global_id(1) + 1;
	int z = get_global_id(2) + 1;
	int plane = width * height;
	int i = z * plane + y * width + x;
	float sum = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + in[i - plane] +
	            in[i + plane];

	out[i] = in[i] + k * (sum - 6.0f * in[i]);
}
