/* SPDX-License-Identifier: Apache-2.0 */
/* How many steps points of the complex plane take to leave the circle of radius 2, Mandelbrot's set. */
__kernel void escape_time(__global ushort *steps, uint width, uint height, float left, float top, float pitch,
                          uint most)
{
	const uint x = get_global_id(0);
	const uint y = get_global_id(1);

	if (x < width && y < height) {
		const float cr = left + x * pitch;
		const float ci = top + y * pitch;
		float zr = 0.0f, zi = 0.0f;
		uint n = 0;
		while (zr * zr + zi * zi <= 4.0f && n < most) {
			const float next = zr * zr - zi * zi + cr;
			zi = 2.0f * zr * zi + ci;
			zr = next;
			n++;
		}
		steps[y * width + x] = (ushort)n;
	}
}
