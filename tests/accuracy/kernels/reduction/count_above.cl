/* SPDX-License-Identifier: Apache-2.0 */
/* How many values exceed a threshold, by one atomic a work-group. */
kernel void count_above(global const float *in, global uint *total, float threshold)
{
	local uint inside;
	int lid = get_local_id(0);

	if (lid == 0)
		inside = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (in[get_global_id(0)] > threshold)
		atomic_inc(&inside);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0)
		atomic_add(total, inside);
}
