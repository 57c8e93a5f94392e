// SPDX-License-Identifier: Apache-2.0
//
// Exclusive scans in groups: four elements a work-item, sums of work-items doubled between two
// halves of local memory.

#define GROUP 256

__kernel void scan(__global const uint4 *in, __global uint4 *out, __global uint *sums)
{
	__local uint part[2 * GROUP];
	const uint lane = get_local_id(0);
	uint4 own = in[get_global_id(0)];
	uint at = GROUP;

	own.y += own.x;
	own.z += own.y;
	own.w += own.z;
	part[lane] = 0;
	part[GROUP + lane] = own.w;
#pragma unroll
	for (uint s = 1; s < GROUP; s *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint before = part[at + lane - s];
		barrier(CLK_LOCAL_MEM_FENCE);
		part[at + lane] += before;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint base = part[at + lane - 1];
	out[get_global_id(0)] = (uint4)(base, base + own.x, base + own.y, base + own.z);
	if (lane == GROUP - 1)
		sums[get_group_id(0)] = base + own.w;
}
