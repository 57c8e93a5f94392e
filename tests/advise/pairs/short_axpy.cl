// SPDX-License-Identifier: Apache-2.0
//
// y = a x + y of 16-bit integers: one a work-item against eight.

__kernel void bad(__global const short *x, __global short *y, short a)
{
	const uint i = get_global_id(0);

	y[i] = (short)(a * x[i] + y[i]);
}

__kernel void good(__global const short *x, __global short *y, short a)
{
	const uint i = get_global_id(0);

	vstore8((short8)a * vload8(i, x) + vload8(i, y), i, y);
}
