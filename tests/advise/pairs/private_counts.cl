// SPDX-License-Identifier: Apache-2.0
//
// Counts of 32 kinds a work-item: an array of its own, which data index, against local memory.

#define KINDS 32
#define GROUP 64

__kernel void bad(__global const uint *in, __global uint *out, uint rounds)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	uint counts[KINDS], most = 0;

	for (uint k = 0; k < KINDS; k++)
		counts[k] = 0;
	for (uint r = 0; r < rounds; r++)
		counts[in[r * n + i] & (KINDS - 1)]++;
	for (uint k = 0; k < KINDS; k++)
		most = max(most, counts[k] * KINDS + k);
	out[i] = most;
}

__kernel void good(__global const uint *in, __global uint *out, uint rounds)
{
	__local uint counts[KINDS * GROUP];
	const uint i = get_global_id(0), n = get_global_size(0), lane = get_local_id(0);
	uint most = 0;

	for (uint k = 0; k < KINDS; k++)
		counts[k * GROUP + lane] = 0;
	for (uint r = 0; r < rounds; r++)
		counts[(in[r * n + i] & (KINDS - 1)) * GROUP + lane]++;
	for (uint k = 0; k < KINDS; k++)
		most = max(most, counts[k * GROUP + lane] * KINDS + k);
	out[i] = most;
}
