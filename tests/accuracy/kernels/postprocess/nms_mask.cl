// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression, first half: a bit for every pair of boxes, sorted by score, that overlap too much. A work-group
// compares TILE boxes (rows) with TILE others (columns), which it keeps in local memory. Boxes are corners.

#ifndef TILE
#define TILE 64
#endif

inline float box_area(float4 b)
{
    return (b.z - b.x) * (b.w - b.y);
}

inline float iou(float4 a, float4 b)
{
    const float left = fmax(a.x, b.x), right = fmin(a.z, b.z);
    const float top = fmax(a.y, b.y), bottom = fmin(a.w, b.w);
    const float width = fmax(right - left, 0.f), height = fmax(bottom - top, 0.f);
    const float inter = width * height;
    return inter / (box_area(a) + box_area(b) - inter);
}

__kernel void nms_mask(__global const float4 *boxes, const float threshold, const int n, __global ulong *mask)
{
    const int row_block = get_group_id(1), col_block = get_group_id(0);
    if (row_block > col_block)
        return;

    const int t = get_local_id(0);
    const int col_size = min(n - col_block * TILE, TILE);
    __local float4 columns[TILE];

    if (t < col_size)
        columns[t] = boxes[col_block * TILE + t];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int row = row_block * TILE + t;
    if (row < n) {
        const float4 me = boxes[row];
        ulong bits = 0;
        int i = row_block == col_block ? t + 1 : 0;
        for (; i < col_size; i++) {
            if (iou(me, columns[i]) > threshold)
                bits |= 1UL << i;
        }
        mask[row * get_num_groups(0) + col_block] = bits;
    }
}
