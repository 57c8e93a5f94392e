/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of a work-group in local memory, three ways: neighbours first, so that the work-items which
 * are left stand in many warps; halves, so that they stand in few; and blocks of FACTOR elements
 * that each work-item sums before, so that there are fewer barriers.
 */
#ifndef FACTOR
#define FACTOR 8
#endif

kernel void sum_neighbours(global const float *in, global float *sums, local float *scratch)
{
	uint lane = get_local_id(0);

	scratch[lane] = in[get_global_id(0)];
	for (uint stride = 1; stride < get_local_size(0); stride *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane % (2 * stride) == 0)
			scratch[lane] += scratch[lane + stride];
	}
	if (lane == 0)
		sums[get_group_id(0)] = scratch[0];
}

kernel void sum_halves(global const float *in, global float *sums, local float *scratch)
{
	uint lane = get_local_id(0);

	scratch[lane] = in[get_global_id(0)];
	for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < stride)
			scratch[lane] += scratch[lane + stride];
	}
	if (lane == 0)
		sums[get_group_id(0)] = scratch[0];
}

kernel void sum_blocks(global const float *in, global float *sums, local float *scratch)
{
	uint lane = get_local_id(0);
	float own = 0;

	for (uint k = 0; k < FACTOR; k++)
		own += in[get_global_id(0) + k * get_global_size(0)];
	scratch[lane] = own;
	for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < stride)
			scratch[lane] += scratch[lane + stride];
	}
	if (lane == 0)
		sums[get_group_id(0)] = scratch[0];
}
