/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens sorted by expert, each expert's part filled up to whole blocks: one work-group, whose work-items count in
   rows of their own, then add up columns; the first one adds up experts. */
int ceil_div(const int a, const int b)
{
    return (a + b - 1) / b;
}

__kernel void moe_align(__global const int *topk_ids, __global int *sorted_ids, __global int *block_experts,
                        __global int *total_padded, const int experts, const int block, const int count,
                        __local int *shared)
{
    const int lid = get_local_id(0);
    const int items = get_local_size(0);
    const int each = ceil_div(count, items);
    const int first = lid * each;
    __local int *starts = shared;
    __local int *counts = shared + experts + 1;

    for (int e = 0; e < experts; e++)
        counts[(lid + 1) * experts + e] = 0;
    for (int i = first; i < count && i < first + each; i++)
        counts[(lid + 1) * experts + topk_ids[i]]++;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < experts) {
        counts[lid] = 0;
        for (int k = 1; k <= items; k++)
            counts[k * experts + lid] += counts[(k - 1) * experts + lid];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid == 0) {
        starts[0] = 0;
        for (int e = 1; e <= experts; e++)
            starts[e] = starts[e - 1] + ceil_div(counts[items * experts + e - 1], block) * block;
        *total_padded = starts[experts];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < experts) {
        for (int i = starts[lid]; i < starts[lid + 1]; i += block)
            block_experts[i / block] = lid;
    }
    for (int i = first; i < count && i < first + each; i++) {
        const int e = topk_ids[i];
        sorted_ids[counts[lid * experts + e] + starts[e]] = i;
        counts[lid * experts + e]++;
    }
}
