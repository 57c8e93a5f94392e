/* SPDX-License-Identifier: Apache-2.0 */
/* by the polar method, a fixed number of tries */
kernel void normal_pairs(global const float2 *uniform_pair, global float2 *out)
{
	int i = get_global_id(0);
	float2 u = 2 * uniform_pair[i] - 1;
	float s = fmin(fmax(dot(u, u), 1e-6f), 0.999f);

	out[i] = u * sqrt(-2 * log(s) / s);
}
