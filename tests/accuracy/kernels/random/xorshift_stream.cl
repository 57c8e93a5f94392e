/* SPDX-License-Identifier: Apache-2.0 */
/* Marsaglia's xorshift, `count` words a work-item, laid out across work-items. */
kernel void xorshift_stream(global uint *state, global uint *out, int count)
{
	int i = get_global_id(0);
	int items = get_global_size(0);
	uint x = state[i];

	for (int k = 0; k < count; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		out[k * items + i] = x;
	}
	state[i] = x;
}
