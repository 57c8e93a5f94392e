// SPDX-License-Identifier: Apache-2.0
//
// Cells of a grid by their number: remainders against products of the quotients.

__kernel void bad(__global const uint *cells, __global uint *out, uint nx, uint ny, uint rounds)
{
	uint cell = cells[get_global_id(0)], sum = 0;

	for (uint k = 0; k < rounds; k++) {
		const uint x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
		sum += x + 3 * y + 5 * z;
		cell = cell * 747796405u + sum;
	}
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const uint *cells, __global uint *out, uint nx, uint ny, uint rounds)
{
	uint cell = cells[get_global_id(0)], sum = 0;

	for (uint k = 0; k < rounds; k++) {
		const uint rows = cell / nx, z = rows / ny;
		const uint x = cell - rows * nx, y = rows - z * ny;
		sum += x + 3 * y + 5 * z;
		cell = cell * 747796405u + sum;
	}
	out[get_global_id(0)] = sum;
}
