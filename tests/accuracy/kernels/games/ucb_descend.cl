/* SPDX-License-Identifier: Apache-2.0 */
/* Monte Carlo tree search, the descent: from its root each search goes to the child with the highest upper
   confidence bound until it comes to a node without visits or children. The path is kept for the way back, and
   along it runs are noted as pending. Children of a node lie side by side. */

__kernel void ucb_descend(__global const int *roots, __global const int *first_child, __global const uchar *children,
                          __global const int *visits, __global const float *value, const float exploration,
                          const int depth_max, __global int *pending, __global int *path, __global int *depths,
                          const int searches)
{
    int s = get_global_id(0);
    if (s >= searches)
        return;

    int node = roots[s];
    int depth = 0;
    path[s] = node;
    atomic_inc(&pending[node]);

    while (depth + 1 < depth_max) {
        const int count = children[node] & 31;
        const int runs = visits[node];
        if (count == 0 || runs == 0)
            break;

        const float log_runs = log((float)runs + 1.0f);
        const int first = first_child[node];
        int chosen = first;
        float bound = -1.0f;
        for (int c = first; c < first + count; c++) {
            const int n = visits[c];
            if (n == 0) {
                chosen = c;
                break;
            }
            const float ucb = value[c] + exploration * sqrt(log_runs / n);
            if (ucb > bound) {
                bound = ucb;
                chosen = c;
            }
        }
        node = chosen;
        depth++;
        path[depth * searches + s] = node;
        atomic_inc(&pending[node]);
    }
    depths[s] = depth;
}
