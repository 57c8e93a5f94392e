/* SPDX-License-Identifier: Apache-2.0 */
/* One vector copied to another. */
// launch: global=16777216 local=256 args=buffer:64M:r,buffer:64M:w
// expect: kernel copy
// expect: accesses 2
// expect: written add.float 0
// expect: load from coalesced
// expect: store to coalesced
// expect: segments from 4
// expect: segments to 4
kernel void copy(global const float *from, global float *to)
{
	size_t i = get_global_id(0);

	to[i] = from[i];
}
