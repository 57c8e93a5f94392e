/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of a separable filter: columns through a strip in local memory. */
// launch: global=1024,1024 local=16,16 args=buffer:4218880:r,buffer:4M:w,buffer:28:r,int:1024
// expect: kernel convolution_columns
// expect: trips 28 7
// expect: written mul.float 7
// expect: load strip local
// expect: store strip local
// expect: load taps interval
// expect: barriers 1
// expect: local_bytes 1408
#define RADIUS 3

kernel void convolution_columns(global const float *in, global float *out, constant float *taps,
                                int width)
{
	local float strip[16 + 2 * RADIUS][16];
	int x = get_global_id(0);
	int y = get_global_id(1);
	int lx = get_local_id(0);
	int ly = get_local_id(1);
	float sum = 0.0f;

	strip[ly][lx] = in[y * width + x];
	if (ly < 2 * RADIUS)
		strip[ly + 16][lx] = in[(y + 16) * width + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 7; k++)
		sum += taps[k] * strip[ly + k][lx];
	out[y * width + x] = sum;
}
