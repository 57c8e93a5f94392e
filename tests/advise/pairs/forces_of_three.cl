// SPDX-License-Identifier: Apache-2.0
//
// Steps of particles: components in threes, at 12 bytes each, against float4.

__kernel void bad(__global const float *force, __global float *place, float step)
{
	const uint i = get_global_id(0);
	float3 p = vload3(i, place), f = vload3(i, force);

	for (uint k = 0; k < 16; k++) {
		p += step * f;
		f = f * 0.99f - 0.01f * p;
	}
	vstore3(p, i, place);
}

__kernel void good(__global const float4 *force, __global float4 *place, float step)
{
	const uint i = get_global_id(0);
	float4 p = place[i], f = force[i];

	for (uint k = 0; k < 16; k++) {
		p += step * f;
		f = f * 0.99f - 0.01f * p;
	}
	place[i] = p;
}
