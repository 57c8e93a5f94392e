/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic time warping in a band, one pair of series a work-item, the band in private memory. */
#define BAND 8

kernel void dtw_band(global const float *a, global const float *b, global float *distance,
                     int length, int pairs)
{
	int pair = get_global_id(0);
	float row[BAND + 2];

	for (int k = 0; k < BAND + 2; k++)
		row[k] = k == 1 ? 0.0f : 1e30f;
	for (int i = 0; i < length; i++) {
		float here = a[i * pairs + pair];
		for (int k = 1; k <= BAND; k++) {
			int j = i + k - 1;
			float other = b[min(j, length - 1) * pairs + pair];
			float cost = fabs(here - other);
			float best = fmin(row[k], fmin(row[k + 1], row[k - 1]));
			row[k] = cost + best;
		}
		row[0] = 1e30f;
	}
	distance[pair] = row[1];
}
