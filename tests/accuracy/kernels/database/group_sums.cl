/* SPDX-License-Identifier: Apache-2.0 */
/* SELECT kind, COUNT(*), SUM(value), MAX(value) GROUP BY kind: in local memory first, then in all. */
#define KINDS 64

kernel void group_sums(global const uchar *kind, global const int *value, global int *count, global int *sum,
                       global int *most, int rows)
{
	local int some[KINDS], part[KINDS], top[KINDS];
	const int lid = get_local_id(0);

	for (int k = lid; k < KINDS; k += get_local_size(0)) {
		some[k] = 0;
		part[k] = 0;
		top[k] = INT_MIN;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < rows; i += get_global_size(0)) {
		const int k = kind[i] % KINDS;
		atomic_inc(some + k);
		atomic_add(part + k, value[i]);
		atomic_max(top + k, value[i]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = lid; k < KINDS; k += get_local_size(0)) {
		atomic_add(count + k, some[k]);
		atomic_add(sum + k, part[k]);
		atomic_max(most + k, top[k]);
	}
}
