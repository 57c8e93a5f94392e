/* SPDX-License-Identifier: Apache-2.0 */
/* One stage of a radix-2 fast Fourier transform in Stockham's order. */
kernel void fft_radix2(global const float2 *in, global float2 *out, int half_points, int span)
{
	int i = get_global_id(0);
	int k = i & (span - 1);
	float2 a = in[i], b = in[i + half_points];
	float angle = -3.14159265f * (float)k / (float)span;
	float c = native_cos(angle), s = native_sin(angle);
	float2 turned = (float2)(c * b.x - s * b.y, c * b.y + s * b.x);
	int to = 2 * i - k;

	out[to] = a + turned;
	out[to + span] = a - turned;
}
