/* SPDX-License-Identifier: Apache-2.0 */
/* An inclusive prefix sum of each work-group's elements (Hillis and Steele). */
// launch: global=262144 local=256 args=buffer:1M:r,buffer:1M:w
// expect: kernel scan_hillis
// expect: accesses 7
// expect: load in coalesced
// expect: store out coalesced
// expect: trips 19 8
// expect: barriers 17
// expect: local_bytes 1024
kernel void scan_hillis(global const int *in, global int *out)
{
	local int sums[256];
	uint lane = get_local_id(0);
	size_t i = get_global_id(0);

	sums[lane] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < 256; step <<= 1) {
		int before = 0;

		if (lane >= step)
			before = sums[lane - step];
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[lane] += before;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = sums[lane];
}
