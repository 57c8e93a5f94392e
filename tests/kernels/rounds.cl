/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of a hash: too many to unroll, but for what their counter decides. */
// launch: global=65536 local=64 args=buffer:4M:r,buffer:256K:w
// expect: kernel rounds
// expect: emitted compare.int 0
// expect: folded steps
// expect: executions word 64
// expect: load word coalesced
constant uint steps[64] = {
        3,  14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 38, 32, 79, 50, 28, 84, 19, 71, 69,
        39, 93, 75, 10, 58, 20, 97, 49, 44, 59, 23, 7,  81, 64, 6,  28, 62, 8,  99, 86, 28, 3,
        48, 25, 34, 21, 17, 6,  79, 82, 14, 80, 86, 51, 32, 82, 30, 66, 47, 9,  38, 44};

kernel void rounds(global const uint *word, global uint *out)
{
	int i = get_global_id(0);
	uint a = 1, b = 2, c = 3;

	for (int round = 0; round < 64; round++) {
		uint mixed;
		int from;
		if (round < 16) {
			mixed = a & b;
			from = round;
		} else if (round < 32) {
			mixed = a | b;
			from = (5 * round + 1) & 15;
		} else if (round < 48) {
			mixed = a ^ b;
			from = (3 * round + 5) & 15;
		} else {
			mixed = a + b;
			from = (7 * round) & 15;
		}
		uint sum = c + mixed + steps[round] + word[from * 65536 + i];
		c = b;
		b = a;
		a = rotate(sum, 7u);
	}
	out[i] = a ^ b ^ c;
}
