// SPDX-License-Identifier: Apache-2.0
//
// Sums by trees, half of whose work-items only load: an element a work-item against 16, so that
// all work and fewer groups are started.

__kernel void bad(__global const float *in, __global float *out, __local float *part)
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

__kernel void good(__global const float *in, __global float *out, __local float *part)
{
	const uint lane = get_local_id(0), size = get_local_size(0);
	float sum = 0.0f;

	for (uint k = 0; k < 16; k++)
		sum += in[(get_group_id(0) * 16 + k) * size + lane];
	part[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = size / 2; s > 0; s /= 2) {
		if (lane < s)
			part[lane] += part[lane + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[get_group_id(0)] = part[0];
}
