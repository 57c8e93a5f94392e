/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that call helpers, one of them twice: all are inlined. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel twice_smooth
// expect: written div.float 2
// expect: written exp.float 2
// expect: emitted exp.float 2
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
static float logistic(float x)
{
	return 1.0f / (1.0f + exp(-x));
}

static float smooth(float x)
{
	return x * logistic(x);
}

kernel void twice_smooth(global const float *in, global float *out)
{
	size_t i = get_global_id(0);

	out[i] = smooth(smooth(in[i]));
}
