/* SPDX-License-Identifier: Apache-2.0 */
/* The recurrence of the Mersenne twister on many generators: words 0 to 226 of each state. */
kernel void mersenne_twist(global const uint *state, global uint *next, int generators)
{
	int generator = get_global_id(0);
	uint current = state[generator];

	for (int k = 0; k < 227; k++) {
		uint following = state[(k + 1) * generators + generator];
		uint far = state[(k + 397) * generators + generator];
		uint mixed = (current & 0x80000000u) | (following & 0x7fffffffu);
		uint word = far ^ (mixed >> 1) ^ ((mixed & 1u) ? 0x9908b0dfu : 0u);
		next[k * generators + generator] = word;
		current = following;
	}
}
