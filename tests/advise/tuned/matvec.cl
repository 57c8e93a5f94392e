// SPDX-License-Identifier: Apache-2.0
//
// Matrices by vectors: a group of 128 a row, float4, a tree in local memory.

#define GROUP 128

__kernel void matvec(__global const float4 *m, __global const float4 *v, __global float *out,
                     uint wide)
{
	__local float part[GROUP];
	const uint lane = get_local_id(0), row = get_group_id(0);
	float4 sum = 0.0f;

	for (uint k = lane; k < wide; k += GROUP)
		sum = mad(m[row * wide + k], v[k], sum);
	part[lane] = (sum.x + sum.y) + (sum.z + sum.w);
#pragma unroll
	for (uint s = GROUP / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] += part[lane + s];
	}
	if (lane == 0)
		out[row] = part[0];
}
