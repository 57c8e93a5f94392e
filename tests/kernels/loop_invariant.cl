/* SPDX-License-Identifier: Apache-2.0 */
/* Work that does not change in the loop is done once. */
// launch: global=65536 local=64 args=buffer:256K:rw,float:3,int:100
// expect: kernel damp
// expect: written exp.float 100
// expect: emitted exp.float 1
// expect: trips 16 100
// expect: written mul.float 100
// expect: accesses 2
// expect: store x coalesced
kernel void damp(global float *x, float rate, int steps)
{
	size_t i = get_global_id(0);
	float value = x[i];

	for (int k = 0; k < steps; k++)
		value = value * exp(rate);
	x[i] = value;
}
