/* SPDX-License-Identifier: Apache-2.0 */
/* Several atomic operations on global memory: one address, and one each. */
// launch: global=65536 local=64 args=buffer:4:rw,buffer:256K:rw,buffer:256K:r
// expect: kernel count_and_mark
// expect: argument total buffer uint
// expect: accesses 4
// expect: atomic total constant
// expect: segments total 1
// expect: segments marks 4
// expect: load in coalesced
// expect: barriers 0
kernel void count_and_mark(global uint *total, global int *marks, global const int *in)
{
	size_t i = get_global_id(0);

	atomic_add(total, 1u);
	atomic_max(&marks[i], in[i]);
	atomic_cmpxchg(&marks[i], 0, 1);
}
