/* SPDX-License-Identifier: Apache-2.0 */
/* within each work-group */
kernel void running_maximum(global const int *in, global int *out)
{
	local int values[256];
	int me = get_local_id(0);

	values[me] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int distance = 1; distance < 256; distance *= 2) {
		int other = me >= distance ? values[me - distance] : INT_MIN;
		barrier(CLK_LOCAL_MEM_FENCE);
		values[me] = max(values[me], other);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = values[me];
}
