/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a bitonic sort: each work-item compares and swaps one pair. */
// launch: global=524288 local=64 args=buffer:4M:rw,uint:10,uint:4
// expect: kernel bitonic_step
// expect: argument stage scalar uint
// expect: accesses 4
// expect: written div.int 1
// expect: written mod.int 1
// expect: barriers 0
kernel void bitonic_step(global uint *keys, uint stage, uint pass)
{
	uint i = get_global_id(0);
	uint distance = 1u << pass;
	uint left = i / distance * distance * 2 + i % distance;
	uint right = left + distance;
	uint a = keys[left];
	uint b = keys[right];
	uint is_descending = (i >> stage) & 1u;

	keys[left] = is_descending ? max(a, b) : min(a, b);
	keys[right] = is_descending ? min(a, b) : max(a, b);
}
