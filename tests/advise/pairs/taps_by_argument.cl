// SPDX-License-Identifier: Apache-2.0
//
// A filter of 8 taps: their number an argument against a macro.

#define TAPS 8

__kernel void bad(__global const float *in, __constant float *weights, __global float *out,
		uint taps)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < taps; k++)
		sum += weights[k] * in[i + k];
	out[i] = sum;
}

__kernel void good(__global const float *in, __constant float *weights, __global float *out,
		uint taps)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < TAPS; k++)
		sum += weights[k] * in[i + k];
	out[i] = sum;
}
