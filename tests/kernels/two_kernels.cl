/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels in one source: each is analysed on its own. */
// expect: kernel fill
// launch: global=1048576 local=64 args=buffer:4M:w,int:7
// expect: argument value scalar int
// expect: accesses 1
// expect: store out coalesced
// expect: segments out 4
// expect: kernel negate
// launch: global=1048576 local=64 args=buffer:4M:rw
// expect: accesses 2
// expect: written add.int 1
// expect: load x coalesced
// expect: store x coalesced
kernel void fill(global int *out, int value)
{
	out[get_global_id(0)] = value;
}

kernel void negate(global int *x)
{
	size_t i = get_global_id(0);

	x[i] = -x[i];
}
