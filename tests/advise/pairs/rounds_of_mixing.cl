// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are mixed in as many rounds as an argument says: one against eight a work-item.

__kernel void bad(__global const uint *in, __global uint *out, int rounds)
{
	const uint i = get_global_id(0);
	uint h = in[i];

	for (int k = 0; k < rounds; k++) {
		h ^= h >> 15;
		h *= 0x2c1b3c6du;
		h ^= h << 7;
		h += 0x9e3779b9u;
	}
	out[i] = h;
}

__kernel void good(__global const uint *in, __global uint *out, int rounds)
{
	const uint i = get_global_id(0);
	uint8 h = vload8(i, in);

	for (int k = 0; k < rounds; k++) {
		h ^= h >> 15;
		h *= 0x2c1b3c6du;
		h ^= h << 7;
		h += 0x9e3779b9u;
	}
	vstore8(h, i, out);
}
