/* SPDX-License-Identifier: Apache-2.0 */
/* Densities of smoothed particles in a row of cells: a cubic kernel over the particles around. */
kernel void sph_density(global const float2 *position, global float *density, int window, int count,
                        float radius)
{
	int i = get_global_id(0);
	float2 here = position[i];
	float sum = 0.0f;
	int first = max(i - window, 0), last = min(i + window, count - 1);

	for (int j = first; j <= last; j++) {
		float2 between = position[j] - here;
		float q = native_sqrt(between.x * between.x + between.y * between.y) / radius;
		float rest = fmax(1.0f - q, 0.0f);
		sum += rest * rest * rest;
	}
	density[i] = sum;
}
