// SPDX-License-Identifier: Apache-2.0
//
// Rounds of a cipher by a table that all work-items read at unlike places: global memory against
// local.

__kernel void bad(__global const uint *in, __global const uint *table, __global uint *out)
{
	const uint i = get_global_id(0);
	uint a = in[i], b = a ^ 0x01020304u;

	for (uint r = 0; r < 40; r++) {
		const uint c = table[a & 255] ^ rotate(table[(b >> 8) & 255], 8u) ^
		               rotate(table[(a >> 16) & 255], 16u) ^
		               rotate(table[(b >> 24) & 255], 24u) ^ r;
		a = b;
		b = c;
	}
	out[i] = a ^ b;
}

__kernel void good(__global const uint *in, __global const uint *table, __global uint *out)
{
	__local uint near[256];
	const uint i = get_global_id(0);

	for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
		near[k] = table[k];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint a = in[i], b = a ^ 0x01020304u;

	for (uint r = 0; r < 40; r++) {
		const uint c = near[a & 255] ^ rotate(near[(b >> 8) & 255], 8u) ^
		               rotate(near[(a >> 16) & 255], 16u) ^
		               rotate(near[(b >> 24) & 255], 24u) ^ r;
		a = b;
		b = c;
	}
	out[i] = a ^ b;
}
