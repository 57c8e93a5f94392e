/* SPDX-License-Identifier: Apache-2.0 */
/* A nine-point stencil: edges and corners weighted unlike. */
// launch: global=1024,1024 local=32,8 args=buffer:4210704:r,buffer:4210704:w,int:1026
// expect: kernel stencil9
// expect: written mul.float 3
// expect: written add.float 8
// expect: accesses 10
// expect: store out coalesced
kernel void stencil9(global const float *in, global float *out, int width)
{
	int x = get_global_id(0) + 1;
	int y = get_global_id(1) + 1;
	int i = y * width + x;
	int up = i - width;
	int down = i + width;
	float edges = in[i - 1] + in[i + 1] + in[up] + in[down];
	float corners = in[up - 1] + in[up + 1] + in[down - 1] + in[down + 1];

	out[i] = 0.25f * in[i] + 0.125f * edges + 0.0625f * corners;
}
