/* SPDX-License-Identifier: Apache-2.0 */
/* One level of a breadth-first search over an adjacency list: the frontier marks its neighbours. */
kernel void bfs_level(global const int *start, global const int *neighbour, global int *level,
                      global int *changed, int depth, int nodes)
{
	int node = get_global_id(0);

	if (node >= nodes || level[node] != depth)
		return;
	for (int k = start[node]; k < start[node + 1]; k++) {
		int other = neighbour[k];
		if (level[other] < 0) {
			level[other] = depth + 1;
			*changed = 1;
		}
	}
}
