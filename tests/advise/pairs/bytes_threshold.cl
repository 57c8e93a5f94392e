// SPDX-License-Identifier: Apache-2.0
//
// A threshold of bytes: one a work-item against 16.

__kernel void bad(__global const uchar *in, __global uchar *out, uchar limit)
{
	const uint i = get_global_id(0);

	out[i] = in[i] > limit ? 255 : 0;
}

__kernel void good(__global const uchar *in, __global uchar *out, uchar limit)
{
	const uint i = get_global_id(0);

	vstore16(select((uchar16)(0), (uchar16)(255), vload16(i, in) > (uchar16)(limit)), i, out);
}
