// SPDX-License-Identifier: Apache-2.0
//
// y = a x + y of 16-bit integers: one a work-item against vectors of four.

__kernel void bad(__global const short *x, __global short *y, short a)
{
	const uint i = get_global_id(0);

	y[i] = (short)(a * x[i] + y[i]);
}

__kernel void good(__global const short4 *x, __global short4 *y, short a)
{
	const uint i = get_global_id(0);

	y[i] = (short4)a * x[i] + y[i];
}
