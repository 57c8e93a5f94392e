// SPDX-License-Identifier: Apache-2.0
//
// A sum of each record of 16 bytes: byte after byte against one load of all.

__kernel void bad(__global const uchar *in, __global uint *out)
{
	const uint i = get_global_id(0);
	uint sum = 0;

	for (uint k = 0; k < 16; k++)
		sum += in[i * 16 + k];
	out[i] = sum;
}

__kernel void good(__global const uchar *in, __global uint *out)
{
	const uint i = get_global_id(0);
	const uint16 all = convert_uint16(((__global const uchar16 *)in)[i]);
	const uint8 eight = all.lo + all.hi;
	const uint4 four = eight.lo + eight.hi;

	out[i] = four.x + four.y + four.z + four.w;
}
