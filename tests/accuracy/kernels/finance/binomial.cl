/* SPDX-License-Identifier: Apache-2.0 */
/* European puts on binomial trees, one option a work-group, a column in local memory. */
kernel void binomial(global const float *price, global const float *strike, global float *value,
                     float up, float down, float probability, float discount, local float *now,
                     local float *next)
{
	int lid = get_local_id(0);
	int steps = get_local_size(0) - 1;
	float start = price[get_group_id(0)];
	float limit = strike[get_group_id(0)];

	float leaf = start * pow(up, (float)(steps - lid)) * pow(down, (float)lid);
	now[lid] = fmax(limit - leaf, 0.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = steps - 1; step >= 0; step--) {
		if (lid <= step)
			next[lid] = discount * (probability * now[lid] + (1.0f - probability) * now[lid + 1]);
		barrier(CLK_LOCAL_MEM_FENCE);
		now[lid] = next[lid];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		value[get_group_id(0)] = now[0];
}
