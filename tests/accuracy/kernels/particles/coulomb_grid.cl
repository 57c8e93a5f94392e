/* SPDX-License-Identifier: Apache-2.0 */
/* Potential of charges on the points of a plane. */
kernel void coulomb_grid(global const float4 *atom, global float *potential, int atoms, float spacing)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float px = spacing * (float)x, py = spacing * (float)y;
	float sum = 0.0f;

	for (int i = 0; i < atoms; i++) {
		float dx = px - atom[i].x, dy = py - atom[i].y, dz = atom[i].z;
		sum += atom[i].w * rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
	}
	potential[y * get_global_size(0) + x] += sum;
}
