/* SPDX-License-Identifier: Apache-2.0 */
kernel void erode_bytes(global const uchar *in, global uchar *out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	uchar least = 255;

	if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
		out[y * width + x] = in[y * width + x];
		return;
	}
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			least = min(least, in[(y + dy) * width + x + dx]);
	out[y * width + x] = least;
}
