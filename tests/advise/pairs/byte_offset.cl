// SPDX-License-Identifier: Apache-2.0
//
// Bytes made lighter by an offset, saturated: one a work-item against vectors of sixteen.

__kernel void bad(__global const uchar *in, __global uchar *out, uchar offset)
{
	const uint i = get_global_id(0);

	out[i] = add_sat(in[i], offset);
}

__kernel void good(__global const uchar16 *in, __global uchar16 *out, uchar offset)
{
	const uint i = get_global_id(0);

	out[i] = add_sat(in[i], (uchar16)offset);
}
