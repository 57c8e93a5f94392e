// SPDX-License-Identifier: Apache-2.0
//
// Separable convolutions of radius 8: tiles in local memory, 8 results a work-item, taps in
// constant memory.

#define RADIUS 8
#define EACH   8
#define WIDE   16
#define HIGH   4

__kernel void rows(__global const float *in, __constant float *taps, __global float *out, int pitch)
{
	__local float tile[HIGH][(EACH + 2) * WIDE];
	const int lx = get_local_id(0), ly = get_local_id(1);
	const int x = (get_group_id(0) * EACH + 1) * WIDE + lx, y = get_global_id(1);

#pragma unroll
	for (int k = 0; k < EACH + 2; k++)
		tile[ly][k * WIDE + lx] = in[y * pitch + x + (k - 1) * WIDE];
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (int k = 1; k <= EACH; k++) {
		float sum = 0.0f;
#pragma unroll
		for (int t = -RADIUS; t <= RADIUS; t++)
			sum = mad(taps[RADIUS - t], tile[ly][k * WIDE + lx + t], sum);
		out[y * pitch + x + (k - 1) * WIDE] = sum;
	}
}

__kernel void columns(__global const float *in, __constant float *taps, __global float *out,
                      int pitch)
{
	__local float tile[(EACH + 2) * 8][WIDE * 2];
	const int lx = get_local_id(0), ly = get_local_id(1);
	const int x = get_global_id(0), y = (get_group_id(1) * EACH + 1) * 8 + ly;

#pragma unroll
	for (int k = 0; k < EACH + 2; k++)
		tile[k * 8 + ly][lx] = in[(y + (k - 1) * 8) * pitch + x];
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (int k = 1; k <= EACH; k++) {
		float sum = 0.0f;
#pragma unroll
		for (int t = -RADIUS; t <= RADIUS; t++)
			sum = mad(taps[RADIUS - t], tile[k * 8 + ly + t][lx], sum);
		out[(y + (k - 1) * 8) * pitch + x] = sum;
	}
}
