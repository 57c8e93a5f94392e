/* SPDX-License-Identifier: Apache-2.0 */
/* A generation of a genetic algorithm: parents win tournaments of three, children take bits from both between two
 * cuts, and a few of their bits flip. Genomes are 256 bits. Two children a work-item. */
#define WORDS 8

static uint next(uint2 *state)
{
	uint t = state->x ^ state->x << 9;
	state->x = state->y;
	state->y = state->y ^ state->y >> 14 ^ t ^ t >> 5;
	return state->y;
}

static uint tournament(global const float *fitness, uint population, uint2 *state)
{
	uint winner = mul_hi(next(state), population);
	for (int k = 0; k < 2; k++) {
		const uint other = mul_hi(next(state), population);
		if (fitness[other] > fitness[winner])
			winner = other;
	}
	return winner;
}

/* Bits of word w that lie below `cut`. */
static uint below(uint cut, uint w)
{
	return cut >= 32 * w + 32 ? 0xffffffffu : cut <= 32 * w ? 0 : (1u << (cut - 32 * w)) - 1;
}

kernel void breed_pairs(global const uint *genomes, global const float *fitness, global uint *children, uint population,
                        float mutation, uint seed)
{
	const uint pair = get_global_id(0);
	if (2 * pair >= population)
		return;

	uint2 state = (uint2)(seed + 1, pair * 0x9e3779b9u + 1);
	for (int k = 0; k < 4; k++)
		next(&state);
	const uint mother = tournament(fitness, population, &state), father = tournament(fitness, population, &state);
	const uint a = next(&state) & 255, b = next(&state) & 255;
	const uint first = min(a, b), second = max(a, b);

	uint one[WORDS], two[WORDS];
	for (uint w = 0; w < WORDS; w++) {
		const uint m = genomes[mother * WORDS + w], f = genomes[father * WORDS + w];
		const uint middle = below(second, w) & ~below(first, w);
		one[w] = bitselect(m, f, middle);
		two[w] = bitselect(f, m, middle);
	}

	/* gaps between mutations are geometric */
	const float scale = 1.0f / log(1.0f - mutation);
	for (float at = log((next(&state) >> 8) * 0x1p-24f + 0x1p-25f) * scale; at < 2.0f * 32 * WORDS;
	     at += 1.0f + log((next(&state) >> 8) * 0x1p-24f + 0x1p-25f) * scale) {
		const uint bit = (uint)at;
		if (bit < 32 * WORDS)
			one[bit / 32] ^= 1u << (bit & 31);
		else
			two[bit / 32 - WORDS] ^= 1u << (bit & 31);
	}
	for (uint w = 0; w < WORDS; w++) {
		children[2 * pair * WORDS + w] = one[w];
		children[(2 * pair + 1) * WORDS + w] = two[w];
	}
}
