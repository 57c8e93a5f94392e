/* SPDX-License-Identifier: Apache-2.0 */
/* One round of Bellman and Ford: every edge relaxed by an atomic minimum. */
kernel void sssp_relax(global const int *from, global const int *to, global const int *length,
                       global const int *distance, global int *next, int edges)
{
	int e = get_global_id(0);

	if (e < edges)
		atomic_min(&next[to[e]], distance[from[e]] + length[e]);
}
