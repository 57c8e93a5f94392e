/* SPDX-License-Identifier: Apache-2.0 */
/* A while loop that halves: twenty rounds for 2^20. */
// launch: global=65536 local=64 args=buffer:256K:w,uint:1048576
// expect: kernel halve
// expect: trips 14 20
// expect: written sin.float 20
// expect: emitted sin.float 20
// expect: accesses 1
// expect: store out coalesced
kernel void halve(global float *out, uint n)
{
	float x = get_global_id(0);

	while (n > 1) {
		x = sin(x) + 1.0f;
		n >>= 1;
	}
	out[get_global_id(0)] = x;
}
