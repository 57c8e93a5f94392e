// SPDX-License-Identifier: Apache-2.0
//
// Energies summed by a single work-group against 128 of them.

__kernel void bad(__global const float *energy, __global float *result, __local float *part,
                  uint n)
{
	const uint lane = get_local_id(0), size = get_local_size(0);
	float sum = 0.0f;

	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		sum += energy[k];
	part[lane] = sum;
	for (uint s = size / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] += part[lane + s];
	}
	if (lane == 0)
		result[get_group_id(0)] = part[0];
}

__kernel void good(__global const float *energy, __global float *result, __local float *part,
                  uint n)
{
	const uint lane = get_local_id(0), size = get_local_size(0);
	float sum = 0.0f;

	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		sum += energy[k];
	part[lane] = sum;
	for (uint s = size / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] += part[lane + s];
	}
	if (lane == 0)
		result[get_group_id(0)] = part[0];
}
