// SPDX-License-Identifier: Apache-2.0
// Rows of a box filter on RGBA pixels; a work-group's part of the row, with what lies beside it, is in local memory.
__kernel void box_horizontal(__global const uchar4 *input, __global uchar4 *output, const int filter_width,
                             __local uchar4 *tile)
{
    const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    const int lid = get_local_id(0), size = get_local_size(0);
    const int reach = (filter_width - 1) / 2;
    const int at = y * width + x;
    __global const uchar4 *row = input + y * width;

    tile[reach + lid] = input[at];
    if (lid < reach) {
        tile[lid] = row[max(x - reach, 0)];
        tile[reach + size + lid] = row[min(x + size, width - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < reach || x >= width - reach) {
        output[at] = (uchar4)(0);
        return;
    }
    int4 sum = (int4)(0);
    for (int k = 0; k < filter_width; k++)
        sum += convert_int4(tile[lid + k]);
    output[at] = convert_uchar4(sum / (int4)(filter_width));
}
