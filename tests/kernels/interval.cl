/* SPDX-License-Identifier: Apache-2.0 */
/* A table of 256 entries read again and again: the paper's interval access. */
// launch: global=16777216 local=256 args=buffer:1K:r,buffer:64M:w
// expect: kernel interval
// expect: written bit.long 1
// expect: accesses 2
// expect: load table interval
// expect: segments table 4
// expect: store to coalesced
kernel void interval(global const float *table, global float *to)
{
	size_t x = get_global_id(0);

	to[x] = table[x & 0xff];
}
