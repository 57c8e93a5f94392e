/* SPDX-License-Identifier: Apache-2.0 */
/* Where each pixel moves between two frames, from gradients in a window of 5 x 5 around it; frames have three more
 * pixels on each side. */
kernel void lucas_kanade(global const float *first, global const float *second, global float2 *flow, int width,
                         int height)
{
	const int x = get_global_id(0), y = get_global_id(1);
	const int pitch = width + 6;
	float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;

	if (x >= width || y >= height)
		return;
	for (int v = 1; v <= 5; v++)
		for (int u = 1; u <= 5; u++) {
			const int i = (y + v) * pitch + x + u;
			const float dx = 0.5f * (first[i + 1] - first[i - 1]);
			const float dy = 0.5f * (first[i + pitch] - first[i - pitch]);
			const float dt = second[i] - first[i];
			xx += dx * dx;
			xy += dx * dy;
			yy += dy * dy;
			xt += dx * dt;
			yt += dy * dt;
		}
	const float det = xx * yy - xy * xy;
	flow[y * width + x] = det > 1e-4f ? (float2)(xy * yt - yy * xt, xy * xt - xx * yt) / det : (float2)(0.0f);
}
