// SPDX-License-Identifier: Apache-2.0
//
// A 3 x 3 box filter of bytes: a pixel a work-item against 16 in a row, their columns summed once.

__kernel void bad(__global const uchar *in, __global uchar *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	int sum = 0;

	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			sum += in[(y + dy) * pitch + x + dx];
	out[y * (int)get_global_size(0) + x] = (uchar)((sum * 7282 + 32768) >> 16);
}

__kernel void good(__global const uchar *in, __global uchar *out, int pitch)
{
	const int x = get_global_id(0) * 16, y = get_global_id(1);
	int16 left = 0, middle = 0, right = 0;

	for (int dy = 0; dy < 3; dy++) {
		__global const uchar *row = in + (y + dy) * pitch + x;
		const uchar16 a = vload16(0, row);
		const uchar2 b = vload2(0, row + 16);

		left += convert_int16(a);
		middle += convert_int16((uchar16)(a.s123, a.s4567, a.s89ab, a.scdef, b.s0));
		right += convert_int16((uchar16)(a.s23, a.s4567, a.s89ab, a.scdef, b.s01));
	}
	const int16 sum = left + middle + right;
	__global uchar *to = out + y * (int)get_global_size(0) * 16 + x;

	vstore16(convert_uchar16((sum * 7282 + 32768) >> 16), 0, to);
}
