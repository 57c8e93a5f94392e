// SPDX-License-Identifier: Apache-2.0
//
// The largest of mixed numbers: one group goes on by its own size, against many by all of theirs.

#define GROUP 512

__kernel void bad(__global const uint *in, __global uint *out, uint n)
{
	__local uint most[GROUP];
	const uint lane = get_local_id(0);
	uint found = 0;

	for (uint k = lane; k < n; k += GROUP)
		found = max(found, in[k] ^ (in[k] >> 7));
	most[lane] = found;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			most[lane] = max(most[lane], most[lane + left]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		atomic_max(out, most[0]);
}

__kernel void good(__global const uint *in, __global uint *out, uint n)
{
	__local uint most[GROUP];
	const uint lane = get_local_id(0);
	uint found = 0;

	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		found = max(found, in[k] ^ (in[k] >> 7));
	most[lane] = found;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			most[lane] = max(most[lane], most[lane + left]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		atomic_max(out, most[0]);
}
