/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted mean over the 27 neighbours in a box with a halo of one. */
kernel void stencil27(global const float *in, global float *out, constant float *weight, int nx,
                      int ny)
{
	int x = get_global_id(0) + 1;
	int y = get_global_id(1) + 1;
	int z = get_global_id(2) + 1;
	float sum = 0.0f;

	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++)
				sum += weight[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1] *
				       in[((z + dz) * ny + y + dy) * nx + x + dx];
	out[(z * ny + y) * nx + x] = sum;
}
