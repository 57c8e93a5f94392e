/* SPDX-License-Identifier: Apache-2.0 */
/* each work-group's 128 numbers, by comparing neighbours in turns */
kernel void sort_groups(global int *data)
{
	local int values[128];
	int me = get_local_id(0), i = get_global_id(0);

	values[me] = data[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int turn = 0; turn < 128; turn++) {
		int left = 2 * me + (turn & 1);
		if (left + 1 < 128 && values[left] > values[left + 1]) {
			int swap = values[left];
			values[left] = values[left + 1];
			values[left + 1] = swap;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	data[i] = values[me];
}
