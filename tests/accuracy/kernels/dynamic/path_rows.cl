/* SPDX-License-Identifier: Apache-2.0 */
/* Cheapest path down a grid: `rows` rows by each work-group, with a halo that shrinks. */
kernel void path_rows(global const int *wall, global const int *source, global int *result,
                      int columns, int rows, local int *now, local int *next)
{
	int lid = get_local_id(0);
	int size = get_local_size(0);
	int useful = size - 2 * rows;
	int column = (int)get_group_id(0) * useful - rows + lid;
	int inside = column >= 0 && column < columns;
	int at = clamp(column, 0, columns - 1);

	now[lid] = source[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int row = 0; row < rows; row++) {
		int left = now[max(lid - 1, 0)];
		int right = now[min(lid + 1, size - 1)];
		next[lid] = min(now[lid], min(left, right)) + wall[row * columns + at];
		barrier(CLK_LOCAL_MEM_FENCE);
		now[lid] = next[lid];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (inside && lid >= rows && lid < size - rows)
		result[column] = now[lid];
}
