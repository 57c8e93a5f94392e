/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction whose work-items first sum a strided share of a long vector each. */
// launch: global=16384 local=256 args=buffer:4M:r,buffer:256:w,uint:1048576
// expect: kernel reduce_grid_stride
// expect: trips 21 64
// expect: written add.float 64
// expect: accesses 5
// expect: load in coalesced
// expect: segments in 4
// expect: atomic sum local
// expect: barriers 2
kernel void reduce_grid_stride(global const uint *in, global uint *out, uint n)
{
	local uint sum[1];
	float total = 0.0f;
	uint size = get_global_size(0);

	if (get_local_id(0) == 0)
		sum[0] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += size)
		total += in[i];
	atomic_add(&sum[0], (uint)total);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		out[get_group_id(0)] = sum[0];
}
