/* SPDX-License-Identifier: Apache-2.0 */
/* Elements stored through an index, and counted by a multiplicative hash. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:64M:w
// expect: kernel scatter
// expect: written mul.int 1
// expect: written bit.int 1
// expect: accesses 2
// expect: load from coalesced
// expect: store to uncoalesced
// expect: segments from 4
// expect: segments to 32
kernel void scatter(global const float *from, global float *to)
{
	uint i = get_global_id(0);

	to[(i * 2654435761u) & 0xffffffu] = from[i];
}
