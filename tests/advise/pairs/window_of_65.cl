// SPDX-License-Identifier: Apache-2.0
//
// A moving sum over 65 samples: each from global memory against a tile in local memory.

#define RADIUS 32
#define GROUP  256

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += in[i + RADIUS + k];
	out[i] = sum;
}

__kernel void good(__global const float *in, __global float *out)
{
	__local float tile[GROUP + 2 * RADIUS];
	const uint i = get_global_id(0), lane = get_local_id(0);
	float sum = 0.0f;

	tile[lane] = in[i];
	if (lane < 2 * RADIUS)
		tile[GROUP + lane] = in[i + GROUP];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k <= 2 * RADIUS; k++)
		sum += tile[lane + k];
	out[i] = sum;
}
