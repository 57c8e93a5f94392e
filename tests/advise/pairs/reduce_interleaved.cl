// SPDX-License-Identifier: Apache-2.0
//
// Sums of groups by trees: pairs that lie 2^k apart in local memory against neighbours.

__kernel void bad(__global const float *in, __global float *out, __local float *part)
{
	const uint lane = get_local_id(0), size = get_local_size(0);

	part[lane] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 1; s < size; s *= 2) {
		const uint at = 2 * s * lane;
		if (at < size)
			part[at] += part[at + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[get_group_id(0)] = part[0];
}

__kernel void good(__global const float *in, __global float *out, __local float *part)
{
	const uint lane = get_local_id(0), size = get_local_size(0);

	part[lane] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = size / 2; s > 0; s /= 2) {
		if (lane < s)
			part[lane] += part[lane + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[get_group_id(0)] = part[0];
}
