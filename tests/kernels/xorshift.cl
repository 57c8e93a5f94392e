/* SPDX-License-Identifier: Apache-2.0 */
/* Marsaglia's xorshift generator, 32 steps per work-item. */
// launch: global=262144 local=64 args=buffer:1M:rw
// expect: kernel xorshift
// expect: trips 16 32
// expect: written bit.int 192
// expect: emitted bit.int 192
// expect: accesses 2
// expect: load state coalesced
// expect: store state coalesced
kernel void xorshift(global uint *state)
{
	size_t i = get_global_id(0);
	uint x = state[i];

	for (int k = 0; k < 32; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	state[i] = x;
}
