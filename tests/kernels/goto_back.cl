/* SPDX-License-Identifier: Apache-2.0 */
/* A loop by a jump backwards: as often as a do-while would run. */
// launch: global=1024 local=64 args=buffer:4K:rw,int:12
// expect: kernel jumping
// expect: trips 15 12
// expect: written mul.int 12
// expect: load x coalesced
// expect: store x coalesced
kernel void jumping(global int *x, int rounds)
{
	size_t i = get_global_id(0);
	int v = x[i];
	int k = 0;

again:
	v = v * 3 + k;
	k++;
	if (k < rounds)
		goto again;
	x[i] = v;
}
