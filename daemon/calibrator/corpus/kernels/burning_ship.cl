/* SPDX-License-Identifier: Apache-2.0 */
kernel void burning_ship(global int *out, int width, float scale)
{
	int px = get_global_id(0), py = get_global_id(1), turns = 0;
	float cx = px * scale - 2, cy = py * scale - 2, x = 0, y = 0;

	while (x * x + y * y < 4 && turns < 96) {
		float next = x * x - y * y + cx;
		y = fabs(2 * x * y) + cy;
		x = next;
		turns++;
	}
	out[py * width + px] = turns;
}
