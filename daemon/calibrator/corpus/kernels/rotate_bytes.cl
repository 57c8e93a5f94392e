/* SPDX-License-Identifier: Apache-2.0 */
/* a grey picture by a quarter of a turn */
kernel void rotate_bytes(global const uchar *in, global uchar *out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);

	out[x * height + height - 1 - y] = in[y * width + x];
}
