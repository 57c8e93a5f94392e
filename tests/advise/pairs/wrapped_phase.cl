// SPDX-License-Identifier: Apache-2.0
//
// A phase of which the fraction counts: fmod, a call for each work-item, against floor.

__kernel void bad(__global const float *in, __global float *out, float rate)
{
	const uint i = get_global_id(0);
	const float t = fmod(in[i] * rate, 1.0f);

	out[i] = t * (1.0f - t);
}

__kernel void good(__global const float *in, __global float *out, float rate)
{
	const uint i = get_global_id(0);
	const float p = in[i] * rate, t = p - floor(p);

	out[i] = t * (1.0f - t);
}
