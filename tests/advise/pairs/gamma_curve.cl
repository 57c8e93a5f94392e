// SPDX-License-Identifier: Apache-2.0
//
// A gamma curve by pow against native_powr.

__kernel void bad(__global const float4 *in, __global float4 *out)
{
	const uint i = get_global_id(0);

	out[i] = pow(in[i], (float4)(0.4545f));
}

__kernel void good(__global const float4 *in, __global float4 *out)
{
	const uint i = get_global_id(0);

	out[i] = native_powr(in[i], (float4)(0.4545f));
}
