// SPDX-License-Identifier: Apache-2.0
//
// Samples behind a header: of 1 element against one that is padded to 32.

__kernel void bad(__global const float *in, __global float *out, uint header)
{
	const uint i = get_global_id(0);

	out[i] = 0.5f * in[i + header];
}

__kernel void good(__global const float *in, __global float *out, uint header)
{
	const uint i = get_global_id(0);

	out[i] = 0.5f * in[i + header];
}
