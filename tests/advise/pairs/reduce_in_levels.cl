// SPDX-License-Identifier: Apache-2.0
//
// A minimum: a launch for each level of the tree against one launch that reads all, and one of a
// single group.

__kernel void first(__global const float *in, __global float *part, __global float *out)
{
	const uint i = get_global_id(0);

	part[i] = fmin(in[i], in[i + get_global_size(0)]);
}

__kernel void level(__global const float *in, __global float *part, __global float *out)
{
	const uint i = get_global_id(0);
	const float least = fmin(part[i], part[i + get_global_size(0)]);

	part[i] = least;
	if (get_global_size(0) == 256)
		out[i] = least;
}

__kernel void stride_all(__global const float *in, __global float *part, __global float *out)
{
	const uint n = 1 << 18;
	float least = in[get_global_id(0)];

	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		least = fmin(least, in[i]);
	part[get_global_id(0)] = least;
}

__kernel void last(__global const float *in, __global float *part, __global float *out)
{
	float least = part[get_global_id(0)];

	for (uint i = get_global_id(0); i < 16384; i += 256)
		least = fmin(least, part[i]);
	out[get_global_id(0)] = least;
}
