/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit conversions and reinterpretations. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel bits_of_float
// expect: argument in buffer float
// expect: argument out buffer int
// expect: written bit.int 1
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
kernel void bits_of_float(global const float *in, global int *out)
{
	size_t i = get_global_id(0);
	int exponent = as_int(in[i]) & 0x7f800000;

	out[i] = exponent + convert_int_sat(in[i]);
}
