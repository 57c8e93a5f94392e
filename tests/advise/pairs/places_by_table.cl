// SPDX-License-Identifier: Apache-2.0
//
// Means of 8 neighbours at given places: places through a table against places that are computed.

__kernel void bad(__global const float *in, __global const uint *places, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 8; k++)
		sum += in[places[i] + k];
	out[i] = 0.125f * sum;
}

__kernel void good(__global const float *in, __global const uint *places, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 8; k++)
		sum += in[i + k];
	out[i] = 0.125f * sum;
}
