/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two decoders of a turbo code: what both are told of a bit goes to its interleaved place, f1 i + f2
 * i^2 modulo the block's length; extrinsic values are weighed by 3/4 and everything stays within 10 bits. A block a
 * row. */
kernel void qpp_interleave(global const short *systematic, global const short *extrinsic, global short *interleaved,
                           global uchar *hard, uint f1, uint f2, uint length)
{
	const uint i = get_global_id(0);
	if (i >= length)
		return;
	const uint block = get_global_id(1) * length;
	const uint from = (uint)(((ulong)i * f2 % length + f1) * i % length);

	const short outside = extrinsic[block + from];
	const short weighed = (outside >> 1) + (outside >> 2);
	const short told = clamp(add_sat(systematic[block + from], weighed), (short)-512, (short)511);
	interleaved[block + i] = told;
	hard[block + from] = told < 0;
}
