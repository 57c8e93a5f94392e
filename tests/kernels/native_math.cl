/* SPDX-License-Identifier: Apache-2.0 */
/* The fast forms of built-ins are counted apart from the precise ones. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel fast
// expect: written native_sin.float 2
// expect: written native_exp.float 1
// expect: written native_div.float 1
// expect: written sin.float 0
// expect: emitted native_sqrt.float 1
// expect: accesses 2
// expect: load in coalesced
kernel void fast(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i];

	out[i] = native_sin(x) * native_cos(x) + native_divide(native_exp(x), native_sqrt(x));
}
