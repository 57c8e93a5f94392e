/* SPDX-License-Identifier: Apache-2.0 */
/* A copy that starts off a segment's boundary: each warp touches one segment more. */
// launch: global=1048576 local=64 args=buffer:4194432:r,buffer:4M:w,int:3
// expect: kernel copy_offset
// expect: written add.int 1
// expect: accesses 2
// expect: load from coalesced
// expect: segments from 5
// expect: segments to 4
kernel void copy_offset(global const float *from, global float *to, int offset)
{
	int i = get_global_id(0);

	to[i] = from[i + offset];
}
