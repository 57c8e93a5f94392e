/* SPDX-License-Identifier: Apache-2.0 */
/* Maxwell's equations on Yee's grid in three dimensions: the electric field follows the magnetic one. */
#define AT(x, y, z) (((z) * ny + (y)) * nx + (x))

kernel void yee_electric(global float *restrict ex, global float *restrict ey, global float *restrict ez,
                         global const float *restrict hx, global const float *restrict hy,
                         global const float *restrict hz, global const float *restrict permittivity,
                         int nx, int ny, int nz, float step)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

	if (x == 0 || y == 0 || z == 0 || x >= nx || y >= ny || z >= nz)
		return;
	int here = AT(x, y, z);
	int left = AT(x - 1, y, z), front = AT(x, y - 1, z), below = AT(x, y, z - 1);
	float c = step / permittivity[here];
	ex[here] += c * ((hz[here] - hz[front]) - (hy[here] - hy[below]));
	ey[here] += c * ((hx[here] - hx[below]) - (hz[here] - hz[left]));
	ez[here] += c * ((hy[here] - hy[left]) - (hx[here] - hx[front]));
}
