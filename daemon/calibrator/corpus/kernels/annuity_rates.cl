/* SPDX-License-Identifier: Apache-2.0 */
/* the rate at which an annuity has its price: eight steps by Newton */
kernel void annuity_rates(global const float *price, global const float *years, global float *rate)
{
	int i = get_global_id(0);
	float r = 0.05f, n = years[i] + 1, p = price[i] * n + 0.1f;

	for (int k = 0; k < 8; k++) {
		float shrunk = pow(1 + r, -n);
		float value = (1 - shrunk) / r - p;
		float slope = (n * shrunk / (1 + r) * r - (1 - shrunk)) / (r * r);
		r = fmax(r - value / slope, 1e-3f);
	}
	rate[i] = r;
}
