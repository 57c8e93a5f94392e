/* SPDX-License-Identifier: Apache-2.0 */
/* the nearest of `codes` vectors of eight reals */
kernel void closest_code(global const float *point, global const float *code, global int *best,
                         int codes)
{
	int i = get_global_id(0), found = 0;
	float least = INFINITY;

	for (int c = 0; c < codes; c++) {
		float sum = 0;
		for (int d = 0; d < 8; d++) {
			float apart = point[8 * i + d] - code[8 * c + d];
			sum += apart * apart;
		}
		if (sum < least) {
			least = sum;
			found = c;
		}
	}
	best[i] = found;
}
