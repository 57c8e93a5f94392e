// SPDX-License-Identifier: Apache-2.0
//
// Even elements one way and odd ones another: neighbours in a warp differ against halves of the
// range.

float grow(float x)
{
	for (uint k = 0; k < 64; k++)
		x = x * 0.75f + 0.125f * x * x;
	return x;
}

float shrink(float x)
{
	for (uint k = 0; k < 64; k++)
		x = 0.5f * x - 0.25f * x * x + 0.1f;
	return x;
}

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);

	if (i & 1)
		out[i] = grow(in[i]);
	else
		out[i] = shrink(in[i]);
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint half_size = get_global_size(0) / 2, i = get_global_id(0);

	if (i < half_size)
		out[2 * i + 1] = grow(in[2 * i + 1]);
	else
		out[2 * (i - half_size)] = shrink(in[2 * (i - half_size)]);
}
