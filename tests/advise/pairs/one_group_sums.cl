// SPDX-License-Identifier: Apache-2.0
//
// Squares added up: by one group, of which each work-item goes on by the group's size, against many
// groups that add their sums by atomics.

#define GROUP 256

__kernel void bad(__global const uint *in, __global uint *out, uint n)
{
	__local uint sums[GROUP];
	const uint lane = get_local_id(0);
	uint sum = 0;

	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		sum += in[k] * in[k];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			sums[lane] += sums[lane + left];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		atomic_add(out, sums[0]);
}

__kernel void good(__global const uint *in, __global uint *out, uint n)
{
	__local uint sums[GROUP];
	const uint lane = get_local_id(0);
	uint sum = 0;

	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		sum += in[k] * in[k];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			sums[lane] += sums[lane + left];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		atomic_add(out, sums[0]);
}
