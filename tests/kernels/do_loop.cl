/* SPDX-License-Identifier: Apache-2.0 */
/* A do-while runs once before it asks. */
// launch: global=65536 local=64 args=buffer:256K:w,int:0
// expect: kernel at_least_once
// expect: trips 15 1
// expect: written sin.float 1
// expect: emitted sin.float 1
// expect: accesses 1
// expect: store out coalesced
kernel void at_least_once(global float *out, int n)
{
	float x = get_global_id(0);
	int k = 0;

	do {
		x = cos(x);
		k++;
	} while (k < n);
	out[get_global_id(0)] = x;
}
