// SPDX-License-Identifier: Apache-2.0
//
// Places in blocks: a division by an argument that is a power of two, which a compiler cannot
// know, against a shift.

__kernel void bad(__global const uint *in, __global uint *out, uint block, uint rounds)
{
	uint at = in[get_global_id(0)] & 0xffffff, sum = 0;

	for (uint k = 0; k < rounds; k++) {
		sum += (at / block) ^ k;
		at += sum;
	}
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const uint *in, __global uint *out, uint log2_block, uint rounds)
{
	uint at = in[get_global_id(0)] & 0xffffff, sum = 0;

	for (uint k = 0; k < rounds; k++) {
		sum += (at >> log2_block) ^ k;
		at += sum;
	}
	out[get_global_id(0)] = sum;
}
