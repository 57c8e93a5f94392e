/* SPDX-License-Identifier: Apache-2.0 */
/* Choices without branches: select, ternaries, step and mix. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w,float:0.5
// expect: kernel choose_value
// expect: argument threshold scalar float
// expect: written compare.float 2
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
// expect: segments out 4
kernel void choose_value(global const float *in, global float *out, float threshold)
{
	size_t i = get_global_id(0);
	float x = in[i];
	float kept = x > threshold ? x : threshold;

	out[i] = select(kept, -x, x < 0.0f);
}
