// SPDX-License-Identifier: Apache-2.0
//
// A histogram of 256 bins: local atomics, uint4 by strides of the whole range, one global addition
// a bin and group.

__kernel void histogram(__global const uint4 *in, __global uint *bins, uint n)
{
	__local uint near[256];
	const uint lane = get_local_id(0);

	near[lane] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
		const uint4 four = in[i] & 255;
		atomic_inc(near + four.x);
		atomic_inc(near + four.y);
		atomic_inc(near + four.z);
		atomic_inc(near + four.w);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(bins + lane, near[lane]);
}
