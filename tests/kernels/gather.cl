/* SPDX-License-Identifier: Apache-2.0 */
/* Elements fetched through an index: only the index buffer says from where. */
// launch: global=1048576 local=64 args=buffer:4M:r:0..16777215,buffer:64M:r,buffer:4M:w
// expect: kernel gather
// expect: accesses 3
// expect: load index coalesced
// expect: load from uncoalesced
// expect: store to coalesced
// expect: segments to 4
kernel void gather(global const uint *index, global const float *from, global float *to)
{
	size_t i = get_global_id(0);

	to[i] = from[index[i]];
}
