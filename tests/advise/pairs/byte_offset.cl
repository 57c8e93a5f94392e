// SPDX-License-Identifier: Apache-2.0
//
// Bytes made lighter by an offset, saturated: one a work-item against sixteen.

__kernel void bad(__global const uchar *in, __global uchar *out, uchar offset)
{
	const uint i = get_global_id(0);

	out[i] = add_sat(in[i], offset);
}

__kernel void good(__global const uchar *in, __global uchar *out, uchar offset)
{
	const uint i = get_global_id(0);

	vstore16(add_sat(vload16(i, in), (uchar16)offset), i, out);
}
