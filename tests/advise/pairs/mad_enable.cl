// SPDX-License-Identifier: Apache-2.0
//
// A polynomial with products and sums of float4: no options against -cl-mad-enable.

__kernel void bad(__global const float4 *in, __global float4 *out)
{
	const float4 x = in[get_global_id(0)];
	float4 a = x, b = 1.0f - x;

	for (uint k = 0; k < 64; k++) {
		a = a * b + 0.25f * x;
		b = b * a + 0.125f * x;
	}
	out[get_global_id(0)] = a + b;
}

__kernel void good(__global const float4 *in, __global float4 *out)
{
	const float4 x = in[get_global_id(0)];
	float4 a = x, b = 1.0f - x;

	for (uint k = 0; k < 64; k++) {
		a = a * b + 0.25f * x;
		b = b * a + 0.125f * x;
	}
	out[get_global_id(0)] = a + b;
}
