/* SPDX-License-Identifier: Apache-2.0 */
/* Harris corner response over 3x3 windows of an image with a halo of two. */
kernel void harris(global const float *in, global float *out, int pitch, float k)
{
	int x = get_global_id(0) + 2;
	int y = get_global_id(1) + 2;
	float xx = 0.0f, yy = 0.0f, xy = 0.0f;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int at = (y + dy) * pitch + x + dx;
			float gx = 0.5f * (in[at + 1] - in[at - 1]);
			float gy = 0.5f * (in[at + pitch] - in[at - pitch]);
			xx += gx * gx;
			yy += gy * gy;
			xy += gx * gy;
		}
	float trace = xx + yy;
	out[(y - 2) * get_global_size(0) + x - 2] = xx * yy - xy * xy - k * trace * trace;
}
