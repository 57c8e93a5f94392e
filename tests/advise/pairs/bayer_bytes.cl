// SPDX-License-Identifier: Apache-2.0
//
// Grey of a Bayer picture: bytes one by one against 8 a load.

__kernel void bad(__global const uchar *raw, __global uchar *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	__global const uchar *at = raw + 2 * y * pitch + 2 * x;
	const int sum = at[0] + at[1] + at[pitch] + at[pitch + 1];

	out[y * (pitch / 2) + x] = (uchar)(sum >> 2);
}

__kernel void good(__global const uchar *raw, __global uchar *out, int pitch)
{
	const int x = get_global_id(0) * 4, y = get_global_id(1);
	__global const uchar *at = raw + 2 * y * pitch + 2 * x;
	const ushort8 sum = convert_ushort8(vload8(0, at)) + convert_ushort8(vload8(0, at + pitch));

	vstore4(convert_uchar4((sum.even + sum.odd) >> (ushort4)(2)), 0, out + y * (pitch / 2) + x);
}
