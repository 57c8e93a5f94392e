/* SPDX-License-Identifier: Apache-2.0 */
/* Sum reduction: a tree in local memory, one partial sum per work-group. */
// launch: global=16777216 local=256 args=buffer:64M:r,buffer:256K:w,local:1K
// expect: kernel reduce_local
// expect: argument scratch local float
// expect: accesses 7
// expect: load in coalesced
// expect: segments in 4
// expect: load scratch local
// expect: store scratch local
// expect: trips 20 8
// expect: barriers 9
kernel void reduce_local(global const float *in, global float *sums, local float *scratch)
{
	uint lane = get_local_id(0);
	uint size = get_local_size(0);

	scratch[lane] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half_size = size / 2; half_size > 0; half_size >>= 1) {
		if (lane < half_size)
			scratch[lane] += scratch[lane + half_size];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		sums[get_group_id(0)] = scratch[0];
}
