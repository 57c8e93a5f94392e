/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic means along given paths of logarithmic returns, a path a work-item. */
kernel void asian_paths(global const float *returns, global float *mean, float price, int steps,
                        int paths)
{
	int path = get_global_id(0);
	float now = price, sum = 0.0f;

	for (int t = 0; t < steps; t++) {
		now *= native_exp(returns[t * paths + path]);
		sum += now;
	}
	mean[path] = sum / (float)steps;
}
