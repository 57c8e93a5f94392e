/* SPDX-License-Identifier: Apache-2.0 */
/* Points of Halton's sequence in bases two and three. */
kernel void halton(global float2 *point, int first)
{
	int i = get_global_id(0);
	uint bits = (uint)(first + i);
	int rest = first + i;
	float x = 0.0f, y = 0.0f, digit = 0.5f;

	while (bits > 0) {
		x += digit * (float)(bits & 1u);
		bits >>= 1;
		digit *= 0.5f;
	}
	digit = 1.0f / 3.0f;
	while (rest > 0) {
		y += digit * (float)(rest % 3);
		rest /= 3;
		digit /= 3.0f;
	}
	point[i] = (float2)(x, y);
}
