/* SPDX-License-Identifier: Apache-2.0 */
/* Three quarters of the work-groups leave at once. */
// launch: global=65536 local=64 args=buffer:256K:rw,uint:4
// expect: kernel one_in_four
// expect: argument share scalar uint
// expect: written mod.int 1
// expect: accesses 2
// expect: store x coalesced
// expect: segments x 4
kernel void one_in_four(global float *x, uint share)
{
	uint i = get_global_id(0);

	if ((uint)get_group_id(0) % share != 0)
		return;
	x[i] = sqrt(x[i]);
}
