/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of work-groups; each work-item first adds up elements a whole NDRange apart. */
kernel void sum_strided(global const float *in, global float *out, local float *scratch, int count)
{
	int lid = get_local_id(0);
	float sum = 0.0f;

	for (int i = get_global_id(0); i < count; i += get_global_size(0))
		sum += in[i];
	scratch[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
		if (lid < half_size)
			scratch[lid] += scratch[lid + half_size];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		out[get_group_id(0)] = scratch[0];
}
