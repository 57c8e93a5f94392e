/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram of 256 bins: counted in local memory, then added to the global one. */
// launch: global=1048576 local=256 args=buffer:1M:r,buffer:1K:rw
// expect: kernel histogram
// expect: ir array local uint counts 1024
// expect: ir barrier
// expect: argument in buffer uchar
// expect: argument bins buffer uint
// expect: accesses 5
// expect: load in coalesced
// expect: segments in 1
// expect: store counts local
// expect: atomic counts local
// expect: barriers 2
// expect: local_bytes 1024
kernel void histogram(global const uchar *in, global uint *bins)
{
	local uint counts[256];
	uint lane = get_local_id(0);

	counts[lane] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&counts[in[get_global_id(0)]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&bins[lane], counts[lane]);
}
