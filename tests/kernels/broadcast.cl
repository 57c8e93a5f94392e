/* SPDX-License-Identifier: Apache-2.0 */
/* One element that all work-items read. */
// launch: global=16777216 local=256 args=buffer:4K:r,buffer:64M:w
// expect: kernel broadcast
// expect: accesses 2
// expect: load from constant
// expect: segments from 1
// expect: store to coalesced
// expect: segments to 4
kernel void broadcast(global const float *from, global float *to)
{
	to[get_global_id(0)] = from[42];
}
