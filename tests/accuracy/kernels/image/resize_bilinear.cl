/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear resampling to the size of the NDRange. */
kernel void resize_bilinear(global const float *in, global float *out, int width, int height,
                            float scale_x, float scale_y)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float sx = ((float)x + 0.5f) * scale_x - 0.5f;
	float sy = ((float)y + 0.5f) * scale_y - 0.5f;
	float fx = floor(sx), fy = floor(sy);
	int x0 = clamp((int)fx, 0, width - 1), x1 = clamp((int)fx + 1, 0, width - 1);
	int y0 = clamp((int)fy, 0, height - 1), y1 = clamp((int)fy + 1, 0, height - 1);
	float top = mix(in[y0 * width + x0], in[y0 * width + x1], sx - fx);
	float bottom = mix(in[y1 * width + x0], in[y1 * width + x1], sx - fx);

	out[y * get_global_size(0) + x] = mix(top, bottom, sy - fy);
}
