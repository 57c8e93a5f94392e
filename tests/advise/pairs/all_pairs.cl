// SPDX-License-Identifier: Apache-2.0
//
// Sums over all pairs of points: points from global memory against tiles that a group shares.

#define GROUP 256

__kernel void bad(__global const float4 *points, __global float *sums, uint n)
{
	const float4 own = points[get_global_id(0)];
	float sum = 0.0f;

	for (uint k = 0; k < n; k++) {
		const float4 d = points[k] - own;
		sum += d.x * d.x + d.y * d.y + d.z * d.z;
	}
	sums[get_global_id(0)] = sum;
}

__kernel void good(__global const float4 *points, __global float *sums, uint n)
{
	__local float4 tile[GROUP];
	const float4 own = points[get_global_id(0)];
	const uint lane = get_local_id(0);
	float sum = 0.0f;

	for (uint first = 0; first < n; first += GROUP) {
		tile[lane] = points[first + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < GROUP; k++) {
			const float4 d = tile[k] - own;
			sum += d.x * d.x + d.y * d.y + d.z * d.z;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sums[get_global_id(0)] = sum;
}
