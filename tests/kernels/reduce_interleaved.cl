/* SPDX-License-Identifier: Apache-2.0 */
/* The reduction that diverges: the lanes that still add lie ever further apart. */
// launch: global=1048576 local=256 args=buffer:4M:r,buffer:16K:w
// expect: kernel reduce_interleaved
// expect: accesses 7
// expect: load in coalesced
// expect: load sums local
// expect: trips 18 8
// expect: barriers 9
// expect: local_bytes 1024
kernel void reduce_interleaved(global const float *in, global float *out)
{
	local float sums[256];
	uint lane = get_local_id(0);

	sums[lane] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < 256; step *= 2) {
		if (lane % (2 * step) == 0)
			sums[lane] += sums[lane + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[get_group_id(0)] = sums[0];
}
