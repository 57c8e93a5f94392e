// SPDX-License-Identifier: Apache-2.0
//
// Forces of bodies: a softening of double, which makes the whole distance double, against one of
// float.

__kernel void bad(__global const float4 *bodies, __global float4 *force, __local float4 *tile,
                  uint n)
{
	const float4 own = bodies[get_global_id(0)];
	const uint lane = get_local_id(0), size = get_local_size(0);
	float4 sum = 0.0f;

	for (uint first = 0; first < n; first += size) {
		tile[lane] = bodies[first + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < size; k++) {
			const float4 d = tile[k] - own;
			const float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.001;
			const float r = rsqrt(r2);
			sum += d * (tile[k].w * r * r * r);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	force[get_global_id(0)] = sum;
}

__kernel void good(__global const float4 *bodies, __global float4 *force, __local float4 *tile,
                  uint n)
{
	const float4 own = bodies[get_global_id(0)];
	const uint lane = get_local_id(0), size = get_local_size(0);
	float4 sum = 0.0f;

	for (uint first = 0; first < n; first += size) {
		tile[lane] = bodies[first + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < size; k++) {
			const float4 d = tile[k] - own;
			const float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.001f;
			const float r = rsqrt(r2);
			sum += d * (tile[k].w * r * r * r);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	force[get_global_id(0)] = sum;
}
