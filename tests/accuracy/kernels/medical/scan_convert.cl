/* SPDX-License-Identifier: Apache-2.0 */
/* Ultrasound from beams to a picture: each pixel of the sector lies between two beams and two samples, whose
 * envelope is compressed by a logarithm to 8 bits; what is outside of the sector stays as the background. */
kernel void scan_convert(global const float *envelope, int beams, int samples, global uchar *picture, int width, int height,
                         float opening, float near, float depth, float range_db, uchar background)
{
	const int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	const float u = (x - 0.5f * (width - 1)) * (depth / height), v = near + y * (depth / height);
	const float radius = hypot(u, v), angle = atan2(u, v);
	const float beam = (angle / opening + 0.5f) * (beams - 1);
	const float sample = (radius - near) / depth * (samples - 1);
	uchar shade = background;

	if (beam >= 0.0f && sample >= 0.0f && beam < beams - 1 && sample < samples - 1) {
		const int b = (int)beam, s = (int)sample;
		const float fb = beam - b, fs = sample - s;
		global const float *from = envelope + b * samples + s;
		const float2 left = vload2(0, from), right = vload2(0, from + samples);
		const float2 across = left + fb * (right - left);
		const float level = 20.0f * log10(fmax(across.x + fs * (across.y - across.x), 1e-6f));
		shade = convert_uchar_sat(255.0f * (1.0f + level / range_db));
	}
	picture[y * width + x] = shade;
}
