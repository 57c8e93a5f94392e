/* SPDX-License-Identifier: Apache-2.0 */
/* Second-order wave equation, fourth order in space, on a grid with a halo of two. */
kernel void wave2d(global const float *now, global const float *before, global float *next,
                   global const float *speed, int width)
{
	int x = get_global_id(0) + 2;
	int y = get_global_id(1) + 2;
	int at = y * width + x;
	float here = now[at];
	float laplace = -5.0f * here;

	laplace += 1.33333333f * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
	laplace -= 0.08333333f *
	           (now[at - 2] + now[at + 2] + now[at - 2 * width] + now[at + 2 * width]);
	next[at] = 2.0f * here - before[at] + speed[at] * speed[at] * laplace;
}
