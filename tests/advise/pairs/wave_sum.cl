// SPDX-License-Identifier: Apache-2.0
//
// Sums of 16 waves: sin and exp against their native forms.

__kernel void bad(__global const float *phase, __global float *out)
{
	const float p = phase[get_global_id(0)];
	float sum = 0.0f;

	for (uint k = 1; k <= 16; k++)
		sum += exp(-0.1f * (float)k) * sin((float)k * p);
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *phase, __global float *out)
{
	const float p = phase[get_global_id(0)];
	float sum = 0.0f;

	for (uint k = 1; k <= 16; k++)
		sum += native_exp(-0.1f * (float)k) * native_sin((float)k * p);
	out[get_global_id(0)] = sum;
}
