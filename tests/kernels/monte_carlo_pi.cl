/* SPDX-License-Identifier: Apache-2.0 */
/* Random points in a square, counted within the circle: a linear congruential generator. */
// launch: global=65536 local=64 args=buffer:256K:w,uint:256
// expect: kernel monte_carlo_pi
// expect: trips 22 256
// expect: accesses 1
// expect: written mul.float 1024
// expect: written add.float 256
// expect: store hits coalesced
// expect: barriers 0
static uint next_random(uint *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

kernel void monte_carlo_pi(global uint *hits, uint samples)
{
	uint seed = get_global_id(0) * 747796405u + 1u;
	uint inside = 0;

	for (uint k = 0; k < samples; k++) {
		float x = next_random(&seed) * 5.9604645e-8f;
		float y = next_random(&seed) * 5.9604645e-8f;

		if (x * x + y * y < 1.0f)
			inside++;
	}
	hits[get_global_id(0)] = inside;
}
