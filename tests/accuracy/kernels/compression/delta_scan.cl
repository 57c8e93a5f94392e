/* SPDX-License-Identifier: Apache-2.0 */
/* Values from their differences, which are coded with the sign in the lowest bit: four a work-item, those of a
 * work-group summed up in local memory in doubling steps, beyond the value that its block begins at. */
kernel void delta_scan(global const uint4 *coded, global const uint *first, global uint4 *values, local uint *sums)
{
	const uint lid = get_local_id(0), size = get_local_size(0);
	const uint4 z = coded[get_global_id(0)];
	uint4 d = (z >> 1) ^ (0 - (z & 1));

	d.y += d.x;
	d.z += d.y;
	d.w += d.z;
	sums[lid] = d.w;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < size; step *= 2) {
		const uint other = lid >= step ? sums[lid - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[lid] += other;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	values[get_global_id(0)] = d + first[get_group_id(0)] + sums[lid] - d.w;
}
