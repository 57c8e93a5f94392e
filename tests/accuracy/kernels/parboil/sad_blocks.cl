/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of absolute differences of each block of 4 x 4 pixels with all 33 x 33 places around it in the frame before,
   whose border repeats. 61 work-items have a block, 18 places each; the sums are collected in local memory. Blocks
   go by macroblocks of 16 x 16 pixels. */
#define RANGE 16
#define PLACES_ACROSS (2 * RANGE + 1)
#define PLACES (PLACES_ACROSS * PLACES_ACROSS)
#define PLACES_PADDED 1096
#define PLACES_EACH 18
#define ITEMS ((PLACES + PLACES_EACH - 1) / PLACES_EACH)

__kernel void sad_blocks(__global ushort *sads, __global const ushort *frame, __global const ushort *before,
                         const int mb_width, const int mb_height)
{
    __local ushort sums[BLOCKS * PLACES_PADDED];
    __local ushort pixels[BLOCKS * 16];

    const int lid = get_local_id(0);
    const int block = lid / ITEMS, item = lid % ITEMS;
    const int bx = get_group_id(0) * BLOCKS + block, by = get_group_id(1);
    const int width = 16 * mb_width, height = 16 * mb_height;

    if (item < 16)
        pixels[block * 16 + item] = frame[(4 * by + item / 4) * width + 4 * bx + item % 4];
    barrier(CLK_LOCAL_MEM_FENCE);

    int place = item * PLACES_EACH;
    for (int i = 0; i < PLACES_EACH && place < PLACES; i++, place++) {
        const int from_x = 4 * bx + place % PLACES_ACROSS - RANGE;
        const int from_y = 4 * by + place / PLACES_ACROSS - RANGE;
        ushort sum = 0;
        for (int y = 0; y < 4; y++) {
            const int row = clamp(from_y + y, 0, height - 1) * width;
            for (int x = 0; x < 4; x++)
                sum += abs_diff(before[row + clamp(from_x + x, 0, width - 1)], pixels[block * 16 + 4 * y + x]);
        }
        sums[block * PLACES_PADDED + place] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int macroblock = by / 4 * mb_width + bx / 4;
    __global ushort *to = sads + (macroblock * 16 + by % 4 * 4 + bx % 4) * PLACES_PADDED;
    for (int k = item; k < PLACES; k += ITEMS)
        to[k] = sums[block * PLACES_PADDED + k];
}
