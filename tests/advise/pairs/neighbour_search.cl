// SPDX-License-Identifier: Apache-2.0
//
// The least distance to 64 neighbours: one comparison a turn, each of which waits for the last,
// against four by hand.

__kernel void bad(__global const float2 *hits, __global float *least, uint n)
{
	const float2 own = hits[get_global_id(0)];
	float best = FLT_MAX;

#pragma unroll 1
	for (uint k = 1; k <= 64; k++) {
		const float2 d = hits[(get_global_id(0) + k) & (n - 1)] - own;
		best = fmin(best, d.x * d.x + d.y * d.y);
	}
	least[get_global_id(0)] = best;
}

__kernel void good(__global const float2 *hits, __global float *least, uint n)
{
	const uint i = get_global_id(0);
	const float2 own = hits[i];
	float4 best = FLT_MAX;

#pragma unroll 1
	for (uint k = 1; k <= 64; k += 4) {
		const float2 a = hits[(i + k) & (n - 1)] - own;
		const float2 b = hits[(i + k + 1) & (n - 1)] - own;
		const float2 c = hits[(i + k + 2) & (n - 1)] - own;
		const float2 d = hits[(i + k + 3) & (n - 1)] - own;

		best = fmin(best, (float4)(a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y,
		                           c.x * c.x + c.y * c.y, d.x * d.x + d.y * d.y));
	}
	least[i] = fmin(fmin(best.x, best.y), fmin(best.z, best.w));
}
