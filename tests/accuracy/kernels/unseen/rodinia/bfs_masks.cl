/* SPDX-License-Identifier: Apache-2.0 */
/* One level of a breadth-first search: nodes in the frontier's mask mark neighbours not yet visited in the mask of
   the next. What swaps the masks clears the first. */
__kernel void bfs_masks(__global const int *start, __global const int *edge, __global const char *frontier,
                        __global char *next, __global const char *visited, __global int *cost, const int nodes)
{
    const int node = get_global_id(0);

    if (node < nodes && frontier[node]) {
        for (int k = start[node]; k < start[node + 1]; k++) {
            const int other = edge[k];
            if (!visited[other]) {
                cost[other] = cost[node] + 1;
                next[other] = 1;
            }
        }
    }
}
