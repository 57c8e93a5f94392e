/* SPDX-License-Identifier: Apache-2.0 */
/* a system for each work-item, interleaved */
kernel void tridiagonal(global const float *off, global const float *main_part, global float *right,
                        global float *scratch, int n, int systems)
{
	int s = get_global_id(0);
	float ratio = 0, known = 0;

	for (int k = 0; k < n; k++) {
		int i = k * systems + s;
		float pivot = main_part[i] + 3 - off[i] * ratio;
		known = (right[i] - off[i] * known) / pivot;
		ratio = off[i] / pivot;
		scratch[i] = ratio;
		right[i] = known;
	}
	for (int k = n - 2; k >= 0; k--) {
		int i = k * systems + s;
		known = right[i] - scratch[i] * known;
		right[i] = known;
	}
}
