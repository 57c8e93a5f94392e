/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to the nearest of 256 codes, by bisection in local memory: a work-group loads tiles with neighbours side by
   side, hands each item ITEMS in a row, and stores bytes the same way. Tiles of a group lie a grid apart. */
#define ITEMS 4

uchar nearest_code(__local const float *code, float x)
{
    int pivot = 127, above = 255, below = 0;
    float lower = -1.0f, upper = 1.0f;
    float value = code[pivot];

    for (int i = 64; i > 0; i >>= 1) {
        if (x > value) {
            below = pivot;
            lower = value;
            pivot += i;
        } else {
            above = pivot;
            upper = value;
            pivot -= i;
        }
        value = code[pivot];
    }
    if (above == 255)
        upper = code[above];
    if (below == 0)
        lower = code[below];
    if (x > value)
        return x > (upper + value) * 0.5f ? above : pivot;
    return x < (lower + value) * 0.5f ? below : pivot;
}

__kernel void quantize_blocks(__global const float *code, __global const float *in, __global uchar *out, const int n)
{
    __local float codes[256], tile[GROUP * ITEMS];
    __local uchar bytes[GROUP * ITEMS];
    const int lid = get_local_id(0), stride = get_num_groups(0) * GROUP * ITEMS;

    for (int i = lid; i < 256; i += GROUP)
        codes[i] = code[i];
    for (int base = get_group_id(0) * GROUP * ITEMS; base < n; base += stride) {
        const int valid = min(GROUP * ITEMS, n - base);
        float value[ITEMS];
        for (int k = 0; k < ITEMS; k++) {
            if (k * GROUP + lid < valid)
                tile[k * GROUP + lid] = in[base + k * GROUP + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < ITEMS; k++)
            value[k] = tile[lid * ITEMS + k];
        for (int k = 0; k < ITEMS; k++)
            bytes[lid * ITEMS + k] = nearest_code(codes, value[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < ITEMS; k++) {
            if (k * GROUP + lid < valid)
                out[base + k * GROUP + lid] = bytes[k * GROUP + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
