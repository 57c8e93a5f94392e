// SPDX-License-Identifier: Apache-2.0
//
// A filter of 64 taps: coefficients from global memory, which the output may alias, against
// constant memory.

__kernel void bad(__global const float *in, __global const float *taps, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = 0.0f;
	for (uint k = 0; k < 64; k++)
		out[i] += taps[k] * in[i + k];
}

__kernel void good(__global const float *in, __constant float *taps, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 64; k++)
		sum += taps[k] * in[i + k];
	out[i] = sum;
}
