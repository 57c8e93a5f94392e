// SPDX-License-Identifier: Apache-2.0
//
// A filter of as many taps as an argument says: one output a work-item against eight.

__kernel void bad(__global const float *in, __global const float *taps, __global float *out, int n)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += taps[k] * in[i + k];
	out[i] = sum;
}

__kernel void good(__global const float *in, __global const float *taps, __global float *out, int n)
{
	const uint i = get_global_id(0);
	float8 sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += taps[k] * vload8(0, in + 8 * i + k);
	vstore8(sum, i, out);
}
