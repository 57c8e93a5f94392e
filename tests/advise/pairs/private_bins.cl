// SPDX-License-Identifier: Apache-2.0
//
// Counts of 64 values, each work-item with its own in local memory: its bins side by side against
// the same bin of all work-items side by side.

#define GROUP 64
#define BINS  64

__kernel void bad(__global const uint *in, __global uint *out, uint each)
{
	__local uint bins[GROUP * BINS];
	const uint lane = get_local_id(0);

	for (uint b = 0; b < BINS; b++)
		bins[lane * BINS + b] = 0;
	for (uint k = 0; k < each; k++)
		bins[lane * BINS + (in[k * get_global_size(0) + get_global_id(0)] & (BINS - 1))]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint sum = 0;
	for (uint k = 0; k < GROUP; k++)
		sum += bins[k * BINS + lane];
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const uint *in, __global uint *out, uint each)
{
	__local uint bins[GROUP * BINS];
	const uint lane = get_local_id(0);

	for (uint b = 0; b < BINS; b++)
		bins[b * GROUP + lane] = 0;
	for (uint k = 0; k < each; k++)
		bins[(in[k * get_global_size(0) + get_global_id(0)] & (BINS - 1)) * GROUP + lane]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint sum = 0;
	for (uint k = 0; k < GROUP; k++)
		sum += bins[lane * GROUP + (k + lane) % GROUP];
	out[get_global_id(0)] = sum;
}
