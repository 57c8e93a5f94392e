/* SPDX-License-Identifier: Apache-2.0 */
/* A video frame of two planes, colour at half the resolution, to RGBA: four pixels a work-item. */
kernel void nv12_to_rgba(global const uchar2 *restrict luma, global const uchar2 *restrict chroma,
                         global uchar8 *restrict rgba, uint pairs, uint lines)
{
	const uint x = get_global_id(0), y = get_global_id(1);
	if (x >= pairs || y >= lines)
		return;

	const int2 uv = convert_int2(chroma[y * pairs + x]) - 128;
	const int3 colour = (int3)(409 * uv.y, -100 * uv.x - 208 * uv.y, 516 * uv.x) + 128;
	for (uint row = 2 * y; row < 2 * y + 2; row++) {
		const int2 bright = 298 * (convert_int2(luma[row * pairs + x]) - 16);
		const int8 sum = (int8)(bright.x + colour, 255 << 8, bright.y + colour, 255 << 8);
		rgba[row * pairs + x] = convert_uchar8_sat(sum >> 8);
	}
}
