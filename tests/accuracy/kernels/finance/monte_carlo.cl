/* SPDX-License-Identifier: Apache-2.0 */
/* European calls by simulated paths; uniform numbers by a generator in each work-item. */
uint next_random(uint *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state;
}

kernel void monte_carlo(global const uint *seed, global float *payoff, float price, float strike,
                        float drift, float volatility, int paths)
{
	int i = get_global_id(0);
	uint state = seed[i];
	float sum = 0.0f;

	for (int p = 0; p < paths; p++) {
		float u = ((float)(next_random(&state) >> 8) + 1.0f) * 5.9604645e-8f;
		float v = (float)(next_random(&state) >> 8) * 5.9604645e-8f;
		float normal = sqrt(-2.0f * log(u)) * cos(6.2831853f * v);
		sum += fmax(price * exp(drift + volatility * normal) - strike, 0.0f);
	}
	payoff[i] = sum / (float)paths;
}
