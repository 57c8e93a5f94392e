/* SPDX-License-Identifier: Apache-2.0 */
/* A controlled gate on two qubits: `first` < `second` are its targets, `controls` the bits that all have to be set.
 * Work-items count through the amplitudes whose target bits are clear. */
typedef struct {
	float re, im;
} amplitude;

static uint insert_zero(uint k, uint at)
{
	uint below = (1u << at) - 1;
	return (k & ~below) << 1 | (k & below);
}

kernel void gate_two(global amplitude *state, constant amplitude *gate, uint first, uint second, uint controls)
{
	const uint base = insert_zero(insert_zero(get_global_id(0), first), second);
	if ((base & controls) != controls)
		return;

	uint at[4];
	amplitude in[4];
	for (int k = 0; k < 4; k++) {
		at[k] = base | (uint)(k & 1) << first | (uint)(k >> 1) << second;
		in[k] = state[at[k]];
	}
	for (int row = 0; row < 4; row++) {
		amplitude sum = {0.0f, 0.0f};
		for (int k = 0; k < 4; k++) {
			const amplitude g = gate[4 * row + k];
			sum.re += g.re * in[k].re - g.im * in[k].im;
			sum.im += g.re * in[k].im + g.im * in[k].re;
		}
		state[at[row]] = sum;
	}
}
