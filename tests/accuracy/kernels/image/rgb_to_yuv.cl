/* SPDX-License-Identifier: Apache-2.0 */
/* RGBA bytes to Y, U and V planes in fixed point. */
kernel void rgb_to_yuv(global const uchar4 *pixels, global uchar *y_plane, global uchar *u_plane,
                       global uchar *v_plane, int count)
{
	int i = get_global_id(0);

	if (i >= count)
		return;
	int4 p = convert_int4(pixels[i]);
	y_plane[i] = (uchar)((66 * p.x + 129 * p.y + 25 * p.z + 4224) >> 8);
	u_plane[i] = (uchar)((-38 * p.x - 74 * p.y + 112 * p.z + 32896) >> 8);
	v_plane[i] = (uchar)((112 * p.x - 94 * p.y - 18 * p.z + 32896) >> 8);
}
