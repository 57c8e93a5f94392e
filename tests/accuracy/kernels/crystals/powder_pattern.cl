/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A powder diffraction pattern: at each step of two theta what all peaks near by add up to, as pseudo-Voigts whose
 * width follows Caglioti's formula, on a background of Chebyshev polynomials. Peaks are sorted by position (in
 * millidegrees).
 */
#define LN2 0.69314718f

float profile(float delta, float fwhm, float eta)
{
	float u = delta / fwhm;
	float lorentz = 0.63661977f / (fwhm * (1.0f + 4.0f * u * u));
	float gauss = 0.93943728f / fwhm * exp(-4.0f * LN2 * u * u);

	return eta * lorentz + (1.0f - eta) * gauss;
}

kernel void powder_pattern(global const int *position, global const float *intensity, int peaks, int first_step,
                           int step, float4 caglioti, int reach, constant float *background, int terms,
                           global float *pattern, int steps)
{
	int i = get_global_id(0);
	if (i >= steps)
		return;
	int here = first_step + i * step;

	/* The first peak that is not out of reach. */
	int low = 0, high = peaks;
	while (low < high) {
		int middle = (low + high) >> 1;
		if (position[middle] < here - reach)
			low = middle + 1;
		else
			high = middle;
	}

	float sum = 0.0f;
	for (int p = low; p < peaks; p++) {
		int at = position[p];
		if (at > here + reach)
			break;
		float t = tan(at * 8.7266463e-6f);
		float fwhm = sqrt(fmax(caglioti.x * t * t + caglioti.y * t + caglioti.z, 1e-4f));
		sum += intensity[p] * profile((here - at) * 1e-3f, fwhm, caglioti.w);
	}

	/* Clenshaw */
	float x = 2.0f * i / (steps - 1) - 1.0f;
	float b1 = 0.0f, b2 = 0.0f;
	for (int k = terms - 1; k > 0; k--) {
		float b0 = background[k] + 2.0f * x * b1 - b2;
		b2 = b1;
		b1 = b0;
	}
	pattern[i] = sum + background[0] + x * b1 - b2;
}
