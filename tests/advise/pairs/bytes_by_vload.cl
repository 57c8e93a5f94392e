// SPDX-License-Identifier: Apache-2.0
//
// The larger of two bytes: one a work-item against four, loaded as vectors of no alignment.

__kernel void bad(__global const uchar *a, __global const uchar *b, __global uchar *out)
{
	const uint i = get_global_id(0);

	out[i] = max(a[i], b[i]);
}

__kernel void good(__global const uchar *a, __global const uchar *b, __global uchar *out)
{
	const uint i = get_global_id(0);

	vstore4(max(vload4(i, a), vload4(i, b)), i, out);
}
