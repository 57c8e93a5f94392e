// SPDX-License-Identifier: Apache-2.0
//
// Saturated addition to bytes: one a work-item against uchar16.

__kernel void bad(__global const uchar *in, uchar more, __global uchar *out)
{
	const uint i = get_global_id(0);

	out[i] = in[i] + more >= 255 ? 255 : in[i] + more;
}

__kernel void good(__global const uchar16 *in, uchar more, __global uchar16 *out)
{
	const uint i = get_global_id(0);

	out[i] = add_sat(in[i], (uchar16)(more));
}
