/* SPDX-License-Identifier: Apache-2.0 */
/* One round of connected components: every node takes the least label around it. */
kernel void components_hook(global const int *start, global const int *neighbour,
                            global const int *label, global int *next)
{
	int node = get_global_id(0);
	int least = label[node];
	int end = start[node + 1];

	for (int k = start[node]; k < end; k++)
		least = min(least, label[neighbour[k]]);
	next[node] = least;
}
