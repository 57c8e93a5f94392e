/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers that change places in each round, as solvers that go back and forth do it. */
// launch: global=1048576 local=64 args=buffer:4M:rw,buffer:4M:rw,int:10
// expect: kernel back_and_forth
// expect: trips 17 10
// expect: load a coalesced
// expect: load b coalesced
// expect: store a coalesced
// expect: store b coalesced
// expect: barriers 10
kernel void back_and_forth(global float *a, global float *b, int rounds)
{
	size_t i = get_global_id(0);
	global float *in = a;
	global float *out = b;

	for (int k = 0; k < rounds; k++) {
		global float *old = in;

		out[i] = in[i] * 0.5f;
		barrier(CLK_GLOBAL_MEM_FENCE);
		in = out;
		out = old;
	}
}
