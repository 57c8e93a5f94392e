/* SPDX-License-Identifier: Apache-2.0 */
/* SELECT row WHERE low <= price < high AND amount >= least: a work-group scans its flags and takes room for all
 * its rows with one atomic. */
kernel void select_compact(global const float *price, global const int *amount, global int *row, global int *rows,
                           int count, float low, float high, int least, local int *flags)
{
	local int base;
	int i = get_global_id(0);
	int lid = get_local_id(0);
	int size = get_local_size(0);
	int wanted = 0;

	if (i < count)
		wanted = price[i] >= low && price[i] < high && amount[i] >= least;
	flags[lid] = wanted;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < size; step *= 2) {
		int before = lid >= step ? flags[lid - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		flags[lid] += before;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == size - 1)
		base = atomic_add(rows, flags[lid]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (wanted)
		row[base + flags[lid] - 1] = i;
}
