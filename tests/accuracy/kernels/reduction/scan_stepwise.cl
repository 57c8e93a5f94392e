/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive scan within work-groups, doubling the distance at each step. */
kernel void scan_stepwise(global const int *in, global int *out, local int *now, local int *next)
{
	int lid = get_local_id(0);
	int size = get_local_size(0);

	now[lid] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int offset = 1; offset < size; offset *= 2) {
		next[lid] = lid >= offset ? now[lid] + now[lid - offset] : now[lid];
		barrier(CLK_LOCAL_MEM_FENCE);
		now[lid] = next[lid];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = now[lid];
}
