/* SPDX-License-Identifier: Apache-2.0 */
/* half_ functions work on floats with less precision. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel coarse
// expect: written native_sqrt.float 1
// expect: written native_log.float 1
// expect: written native_div.float 1
// expect: emitted native_log.float 1
// expect: accesses 2
// expect: store out coalesced
kernel void coarse(global const float *in, global float *out)
{
	size_t i = get_global_id(0);

	out[i] = half_sqrt(in[i]) + half_log(half_recip(in[i]));
}
