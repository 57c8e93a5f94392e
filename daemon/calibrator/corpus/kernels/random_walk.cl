/* SPDX-License-Identifier: Apache-2.0 */
kernel void random_walk(global const uint *seed, global float2 *end, int steps)
{
	int i = get_global_id(0);
	uint state = seed[i];
	float2 at = (float2)(0, 0);

	for (int k = 0; k < steps; k++) {
		state = state * 1664525u + 1013904223u;
		float angle = (state >> 8) * 3.7450703e-7f;
		at += (float2)(native_cos(angle), native_sin(angle));
	}
	end[i] = at;
}
