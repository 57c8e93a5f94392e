/* SPDX-License-Identifier: Apache-2.0 */
/* A column of 16-bit codes becomes prices from its dictionary, less a discount, in double. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void dictionary_decode(global const ushort *code, global const double *dictionary, global const uchar *percent,
                              global double *revenue, uint rows)
{
	uint i = get_global_id(0);
	if (i < rows)
		revenue[i] = dictionary[code[i]] * (1.0 - (percent[i] & 15) * 0.01);
}
