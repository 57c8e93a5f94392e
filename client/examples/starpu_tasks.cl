/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that is bound by memory and one by arithmetic. */
kernel void scale(global float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i < n)
		x[i] = a * x[i];
}

kernel void smooth(global float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float y = x[i];
	for (int step = 0; step < 100; step++)
		y = y + a * (1 - y * y);
	x[i] = y;
}
