/* SPDX-License-Identifier: Apache-2.0 */
/* A private table indexed by data: in memory, a row for each index with a word for each lane. */
// launch: global=16384 local=64 args=buffer:1M:r,buffer:64K:w
// expect: kernel by_lane
// expect: segments table 32
// expect: segments table 4
kernel void by_lane(global const uint *key, global uint *out)
{
	uint table[16];
	uint i = get_global_id(0), at = i & 15;

	for (int d = 0; d < 16; d++)
		table[d] = d;
	for (int k = 0; k < 16; k++)
		table[(at + k * key[0]) & 15]++;
	table[at] += 1;
	out[i] = table[at] + table[0];
}

// expect: kernel together
// launch: global=16384 local=64 args=buffer:64K:w,int:3
// expect: segments table 4
kernel void together(global uint *out, int first)
{
	uint table[16];
	uint i = get_global_id(0);

	for (int d = 0; d < 16; d++)
		table[d] = d;
	out[i] = table[first & 15] + table[(first + 1) & 15];
}
