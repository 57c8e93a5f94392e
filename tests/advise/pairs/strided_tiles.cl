// SPDX-License-Identifier: Apache-2.0
//
// Elements of tiles: quotients and remainders by a tile that is an argument against shifts and
// masks.

__kernel void bad(__global const uint *in, __global uint *out, uint tile, uint rounds)
{
	uint x = in[get_global_id(0)], y = 0;

	for (uint k = 0; k < rounds; k++) {
		y += x / tile;
		x = x * 1664525u + x % tile + 1013904223u;
	}
	out[get_global_id(0)] = y;
}

__kernel void good(__global const uint *in, __global uint *out, uint shift, uint rounds)
{
	const uint mask = (1u << shift) - 1u;
	uint x = in[get_global_id(0)], y = 0;

	for (uint k = 0; k < rounds; k++) {
		y += x >> shift;
		x = x * 1664525u + (x & mask) + 1013904223u;
	}
	out[get_global_id(0)] = y;
}
