/* SPDX-License-Identifier: Apache-2.0 */
/* Electric fields of a two-dimensional FDTD step. */
kernel void fdtd_fields(global float *ex, global float *ey, global const float *hz, int nx, int ny)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (i >= nx || j >= ny)
		return;
	if (j > 0)
		ex[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
	if (i > 0)
		ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
}
