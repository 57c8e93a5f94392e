// SPDX-License-Identifier: Apache-2.0
//
// A step of a picture that comes from the host and goes back: buffers of its own against pinned
// ones.

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = in[i] * 0.5f + 0.25f;
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = in[i] * 0.5f + 0.25f;
}
