/* SPDX-License-Identifier: Apache-2.0 */
/* A copy with a stride of sixteen elements on both sides. */
// launch: global=1048576 local=64 args=buffer:64M:r,buffer:64M:w,int:16
// expect: kernel copy_strided
// expect: written mul.int 1
// expect: accesses 2
// expect: load from uncoalesced
// expect: store to uncoalesced
// expect: segments from 32
// expect: segments to 32
kernel void copy_strided(global const float *from, global float *to, int stride)
{
	int i = (int)get_global_id(0) * stride;

	to[i] = from[i];
}
