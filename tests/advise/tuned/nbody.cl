// SPDX-License-Identifier: Apache-2.0
//
// Forces of bodies on bodies: tiles in local memory, unrolled, native_rsqrt.

#define GROUP 256

__kernel void forces(__global const float4 *bodies, __global float4 *out, uint n)
{
	__local float4 tile[GROUP];
	const float4 own = bodies[get_global_id(0)];
	const uint lane = get_local_id(0);
	float ax = 0.0f, ay = 0.0f, az = 0.0f;

	for (uint first = 0; first < n; first += GROUP) {
		tile[lane] = bodies[first + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
		for (uint k = 0; k < GROUP; k++) {
			const float4 other = tile[k];
			const float dx = other.x - own.x, dy = other.y - own.y;
			const float dz = other.z - own.z;
			const float r2 = mad(dx, dx, mad(dy, dy, mad(dz, dz, 1e-4f)));
			const float r = native_rsqrt(r2), f = other.w * r * r * r;
			ax = mad(f, dx, ax);
			ay = mad(f, dy, ay);
			az = mad(f, dz, az);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = (float4)(ax, ay, az, 0.0f);
}
