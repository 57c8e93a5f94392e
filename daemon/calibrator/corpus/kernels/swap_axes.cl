/* SPDX-License-Identifier: Apache-2.0 */
/* from x, y, z to z, y, x */
kernel void swap_axes(global const float *in, global float *out, int width, int height, int depth)
{
	int i = get_global_id(0);
	int x = i % width, y = i / width % height, z = i / (width * height);

	out[(x * height + y) * depth + z] = in[i];
}
