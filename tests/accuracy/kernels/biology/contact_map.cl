/* SPDX-License-Identifier: Apache-2.0 */
/* Which residues of a protein touch which: a bit for each pair above the diagonal, 32 a work-item. */
__kernel void contact_map(__global const float4 *residue, __global uint *bits, uint residues, float cutoff)
{
	uint word = get_global_id(0), i = get_global_id(1);
	uint words = residues / 32;
	uint found = 0;

	if (word >= words || i >= residues)
		return;
	if (32 * word + 31 > i) {
		float4 me = residue[i];
		for (uint k = 0; k < 32; k++) {
			uint j = 32 * word + k;
			float3 d = residue[j].xyz - me.xyz;
			found |= (uint)(dot(d, d) < cutoff * cutoff && j > i) << k;
		}
	}
	bits[i * words + word] = found;
}
