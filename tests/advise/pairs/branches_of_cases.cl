// SPDX-License-Identifier: Apache-2.0
//
// Four paddings of a state, chosen by the work-item: branches against values that are chosen.

__kernel void bad(__global const uint *in, __global uint *out)
{
	const uint i = get_global_id(0);
	const uint part = i & 3;
	uint s[4];

	for (uint k = 0; k < 4; k++)
		s[k] = in[i + k * get_global_size(0)];
	for (uint r = 0; r < 64; r++) {
		if (part == 0) {
			s[0] = s[0] * 5u + s[1];
			s[1] ^= r;
		} else if (part == 1) {
			s[1] = s[1] * 5u + s[2];
			s[2] ^= r;
		} else if (part == 2) {
			s[2] = s[2] * 5u + s[3];
			s[3] ^= r;
		} else {
			s[3] = s[3] * 5u + s[0];
			s[0] ^= r;
		}
	}
	out[i] = s[0] + s[1] + s[2] + s[3];
}

__kernel void good(__global const uint *in, __global uint *out)
{
	const uint i = get_global_id(0);
	const uint part = i & 3;
	uint s[4];

	for (uint k = 0; k < 4; k++)
		s[k] = in[i + k * get_global_size(0)];
	for (uint r = 0; r < 64; r++) {
		const uint a = part == 0 ? s[0] * 5u + s[1] : part == 3 ? s[0] ^ r : s[0];
		const uint b = part == 1 ? s[1] * 5u + s[2] : part == 0 ? s[1] ^ r : s[1];
		const uint c = part == 2 ? s[2] * 5u + s[3] : part == 1 ? s[2] ^ r : s[2];
		const uint d = part == 3 ? s[3] * 5u + s[0] : part == 2 ? s[3] ^ r : s[3];

		s[0] = a;
		s[1] = b;
		s[2] = c;
		s[3] = d;
	}
	out[i] = s[0] + s[1] + s[2] + s[3];
}
