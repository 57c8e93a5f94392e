/* SPDX-License-Identifier: Apache-2.0 */
/* Magnetic field of a two-dimensional FDTD step. */
kernel void fdtd_magnetic(global const float *ex, global const float *ey, global float *hz, int nx,
                          int ny)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (i < nx - 1 && j < ny - 1)
		hz[i * ny + j] -= 0.7f * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] -
		                          ey[i * ny + j]);
}
