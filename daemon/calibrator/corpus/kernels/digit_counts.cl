/* SPDX-License-Identifier: Apache-2.0 */
kernel void digit_counts(global const uint *in, global uint *count, int n)
{
	local uint own[64];
	int me = get_local_id(0);

	if (me < 64)
		own[me] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&own[in[i] & 63]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (me < 64)
		atomic_add(&count[me], own[me]);
}
