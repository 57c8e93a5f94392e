// SPDX-License-Identifier: Apache-2.0
//
// A filter of 8 taps: a loop that may not be unrolled against one that is.

__kernel void bad(__global const float *in, __constant float *taps, __global float *out,
                  uint rounds)
{
	float x = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++)
#pragma unroll 1
		for (uint k = 0; k < 8; k++)
			x = x * taps[k] + 0.5f;
	out[get_global_id(0)] = x;
}

__kernel void good(__global const float *in, __constant float *taps, __global float *out,
                   uint rounds)
{
	float x = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++)
#pragma unroll
		for (uint k = 0; k < 8; k++)
			x = x * taps[k] + 0.5f;
	out[get_global_id(0)] = x;
}
