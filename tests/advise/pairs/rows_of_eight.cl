// SPDX-License-Identifier: Apache-2.0
//
// Lengths of vectors of eight components: components one by one against two loads of four.

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 8; k++)
		sum += in[i * 8 + k] * in[i * 8 + k];
	out[i] = sqrt(sum);
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	__global const float4 *rows = (__global const float4 *)in;
	const float4 first = rows[2 * i], second = rows[2 * i + 1];

	out[i] = sqrt(dot(first, first) + dot(second, second));
}
