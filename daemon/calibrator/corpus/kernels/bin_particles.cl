/* SPDX-License-Identifier: Apache-2.0 */
kernel void bin_particles(global const float *x, global const float *y, global int *count,
                          int cells)
{
	int i = get_global_id(0);
	int cx = clamp((int)floor(x[i] * cells), 0, cells - 1);
	int cy = clamp((int)floor(y[i] * cells), 0, cells - 1);

	atomic_inc(&count[cy * cells + cx]);
}
