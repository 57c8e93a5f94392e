/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient and remainder by a variable, and the sum that gives back what was divided. */
// launch: global=1048576 local=64 args=buffer:4M:w,uint:1000
// expect: kernel divided
// expect: written div.int 1
// expect: written mod.int 2
// expect: written mul.int 1
// expect: accesses 1
// expect: store out coalesced
// expect: segments out 4
kernel void divided(global uint *out, uint n)
{
	uint p = get_global_id(0);
	uint same = p / n * n + p % n;

	out[same] = p % n;
}
