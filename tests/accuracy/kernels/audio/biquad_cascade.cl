/* SPDX-License-Identifier: Apache-2.0 */
/* An equaliser: each channel's samples go through sections of second order, one after another. A frame holds a
 * sample of every channel. */
#define SECTIONS 4

kernel void biquad_cascade(global const float *in, global float *out, constant float *coefficients, int channels,
                           int frames)
{
	const int channel = get_global_id(0);
	float z1[SECTIONS], z2[SECTIONS];

	if (channel >= channels)
		return;
	for (int s = 0; s < SECTIONS; s++)
		z1[s] = z2[s] = 0.0f;
	for (int t = 0; t < frames; t++) {
		float x = in[t * channels + channel];
		for (int s = 0; s < SECTIONS; s++) {
			constant float *c = coefficients + 5 * s; /* b0 b1 b2 a1 a2 */
			const float y = c[0] * x + z1[s];
			z1[s] = c[1] * x - c[3] * y + z2[s];
			z2[s] = c[2] * x - c[4] * y;
			x = y;
		}
		out[t * channels + channel] = x;
	}
}
