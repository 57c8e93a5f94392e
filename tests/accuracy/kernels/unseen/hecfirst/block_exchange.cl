/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a work-group from stripes to blocks: an item has ITEMS that lie a group apart and gets as many in a row, by
   local memory with a word of padding every 32. Loads and stores are ITEMS in a row. */
#define ITEMS 8
#define PADDED(at) ((at) + ((at) >> 5))

__kernel void block_exchange(__global const int *in, __global int *out)
{
    __local int exchange[PADDED(GROUP * ITEMS)];
    const int lid = get_local_id(0);
    const int base = get_group_id(0) * GROUP * ITEMS;
    int mine[ITEMS];

    for (int k = 0; k < ITEMS; k++)
        mine[k] = in[base + lid * ITEMS + k];
    for (int k = 0; k < ITEMS; k++)
        exchange[PADDED(k * GROUP + lid)] = mine[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < ITEMS; k++)
        mine[k] = exchange[PADDED(lid * ITEMS + k)];
    for (int k = 0; k < ITEMS; k++)
        out[base + lid * ITEMS + k] = mine[k];
}
