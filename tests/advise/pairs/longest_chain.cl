// SPDX-License-Identifier: Apache-2.0
//
// A polynomial's value at 64 points, one chain of products after the other, against four at once.

__kernel void bad(__global const float *in, __global float *out, uint degree)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float sum = 0.0f;

	for (uint p = 0; p < 64; p++) {
		const float x = in[p * n + i];
		float value = 1.0f;

#pragma unroll 1
		for (uint k = 0; k < degree; k++)
			value = value * x + 0.25f;
		sum += value;
	}
	out[i] = sum;
}

__kernel void good(__global const float *in, __global float *out, uint degree)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float4 sum = 0.0f;

	for (uint p = 0; p < 64; p += 4) {
		const float4 x = (float4)(in[p * n + i], in[(p + 1) * n + i],
		                          in[(p + 2) * n + i], in[(p + 3) * n + i]);
		float4 value = 1.0f;

#pragma unroll 1
		for (uint k = 0; k < degree; k++)
			value = value * x + 0.25f;
		sum += value;
	}
	out[i] = sum.x + sum.y + sum.z + sum.w;
}
