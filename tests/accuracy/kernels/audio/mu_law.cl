/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of 16 bits to bytes of G.711's mu-law, four at once. */
__kernel void mu_law(__global const short4 *samples, __global uchar4 *coded, uint quads)
{
	for (uint i = get_global_id(0); i < quads; i += get_global_size(0)) {
		int4 linear = convert_int4(samples[i]);
		uint4 size = min(abs(linear), (uint4)(32635)) + 132;
		uint4 exponent = 24 - clz(size);
		uint4 mantissa = (size >> (exponent + 3)) & 15;
		uint4 sign = as_uint4(linear) >> 31;
		coded[i] = convert_uchar4(~(sign << 7 | exponent << 4 | mantissa) & 255);
	}
}
