// SPDX-License-Identifier: Apache-2.0
//
// A histogram of 256 bins: atomic additions in global memory against bins of the group in local
// memory.

__kernel void bad(__global const uint *in, __global uint *bins, uint n)
{
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(bins + (in[i] & 255));
}

__kernel void good(__global const uint *in, __global uint *bins, uint n)
{
	__local uint near[256];

	for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
		near[k] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(near + (in[i] & 255));
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
		atomic_add(bins + k, near[k]);
}
