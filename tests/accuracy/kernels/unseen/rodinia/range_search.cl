/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of keys in a B+ tree: a work-group descends for both ends of one range, a work-item for each key of a
   node. Where a range begins among the records, and how many it has. */
struct node {
    int location;
    int child[ORDER + 1];
    int key[ORDER + 1];
    int is_leaf;
    int keys;
};

__kernel void range_search(const int height, __global const struct node *nodes, const int count,
                           __global int *first_node, __global int *first_next, __global int *last_node,
                           __global int *last_next, __global const int *start, __global const int *end,
                           __global int *record, __global int *length)
{
    const int key = get_local_id(0);
    const int range = get_group_id(0);

    for (int level = 0; level < height; level++) {
        __global const struct node *first = nodes + first_node[range];
        __global const struct node *last = nodes + last_node[range];

        if (first->key[key] <= start[range] && first->key[key + 1] > start[range])
            if (first->child[key] < count)
                first_next[range] = first->child[key];
        if (last->key[key] <= end[range] && last->key[key + 1] > end[range])
            if (last->child[key] < count)
                last_next[range] = last->child[key];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (key == 0) {
            first_node[range] = first_next[range];
            last_node[range] = last_next[range];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }

    if (nodes[first_node[range]].key[key] == start[range])
        record[range] = nodes[first_node[range]].child[key];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (nodes[last_node[range]].key[key] == end[range])
        length[range] = nodes[last_node[range]].child[key] - record[range] + 1;
}
