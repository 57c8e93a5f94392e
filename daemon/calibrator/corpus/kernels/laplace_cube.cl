/* SPDX-License-Identifier: Apache-2.0 */
kernel void laplace_cube(global const float *in, global float *out, int n)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	float sum = 0;

	if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1)
		return;
	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++)
				sum += in[((z + dz) * n + y + dy) * n + x + dx];
	out[(z * n + y) * n + x] = sum - 27 * in[(z * n + y) * n + x];
}
