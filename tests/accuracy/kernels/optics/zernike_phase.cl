/* SPDX-License-Identifier: Apache-2.0 */
/* A wavefront over a round pupil from Zernike coefficients in Noll's order, in waves, and the same wrapped to the 8
   bits of a phase modulator. */
#define ORDER_MAX 12

__kernel void zernike_phase(__constant float *coefficients, int terms, int side, float radius, float dead,
                            __global float *wavefront, __global uchar *level)
{
	int px = get_global_id(0), py = get_global_id(1);
	if (px >= side || py >= side)
		return;
	int pixel = py * side + px;
	float x = (px + 0.5f - 0.5f * side) / radius, y = (py + 0.5f - 0.5f * side) / radius;
	float rho2 = x * x + y * y;
	if (rho2 > 1.0f) {
		wavefront[pixel] = 0.0f;
		level[pixel] = 0;
		return;
	}

	/* r^m cos(m t) and r^m sin(m t) are powers of x + iy. */
	float re[ORDER_MAX + 1], im[ORDER_MAX + 1];
	re[0] = 1.0f;
	im[0] = 0.0f;
	for (int m = 1; m <= ORDER_MAX; m++) {
		re[m] = re[m - 1] * x - im[m - 1] * y;
		im[m] = re[m - 1] * y + im[m - 1] * x;
	}

	float sum = 0.0f;
	int n = 0, in_row = 0;
	for (int j = 1; j <= terms && n <= ORDER_MAX; j++) {
		float c = coefficients[j - 1];
		int m = (n & 1) ? 1 + 2 * (in_row / 2) : 2 * ((in_row + 1) / 2);

		if (fabs(c) > dead) {
			/* What is left of the radial polynomial is one in r^2, from its highest power down. */
			int p = (n - m) / 2, q = (n + m) / 2;
			float factor = 1.0f;
			for (int k = 1; k <= p; k++)
				factor = factor * (n + 1 - k) / k;
			float radial = 0.0f;
			for (int s = 0; s <= p; s++) {
				radial = radial * rho2 + factor;
				factor *= -(float)((p - s) * (q - s)) / (float)((s + 1) * max(n - s, 1));
			}
			float norm = sqrt((m == 0 ? 1.0f : 2.0f) * (n + 1));
			sum += c * norm * radial * (m > 0 && (j & 1) ? im[m] : re[m]);
		}
		if (++in_row > n) {
			in_row = 0;
			n++;
		}
	}
	wavefront[pixel] = sum;
	level[pixel] = convert_uchar_sat((sum - floor(sum)) * 256.0f);
}
