/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar product of two vectors, one partial sum per work-group. */
// launch: global=1048576 local=128 args=buffer:4M:r,buffer:4M:r,buffer:32K:w,local:512
// expect: kernel dot_partial
// expect: argument scratch local float
// expect: written mul.float 1
// expect: accesses 8
// expect: load a coalesced
// expect: load b coalesced
// expect: load scratch local
// expect: trips 22 7
// expect: barriers 8
kernel void dot_partial(global const float *a, global const float *b, global float *partial,
                        local float *scratch)
{
	uint i = get_global_id(0);
	uint lane = get_local_id(0);
	uint size = get_local_size(0);

	scratch[lane] = a[i] * b[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = size / 2; s > 0; s >>= 1) {
		if (lane < s)
			scratch[lane] += scratch[lane + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		partial[get_group_id(0)] = scratch[0];
}
