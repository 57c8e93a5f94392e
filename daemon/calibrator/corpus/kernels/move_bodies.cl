/* SPDX-License-Identifier: Apache-2.0 */
kernel void move_bodies(global float *x, global float *y, global float *z, global const float *vx,
                        global const float *vy, global const float *vz, float step, int n)
{
	int i = get_global_id(0);

	if (i >= n)
		return;
	x[i] = fmod(x[i] + step * vx[i], 1.0f);
	y[i] = fmod(y[i] + step * vy[i], 1.0f);
	z[i] = fmod(z[i] + step * vz[i], 1.0f);
}
