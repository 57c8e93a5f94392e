/* SPDX-License-Identifier: Apache-2.0 */
/* One level of the reversible 5/3 wavelet of JPEG 2000, forward. A work-group slides a window of WIN_X columns and
   WIN_Y rows down the image in local memory: rows are transformed as they come in, then columns; two rows are kept
   from one window to the next. Bands go to the quarters of the output. */
#define COLUMNS (WIN_X + 3) /* two before, one behind */
#define ROWS (WIN_Y + 3)

int mirrored(int at, int size)
{
    at = abs(at);
    return at < size ? at : max(2 * size - 2 - at, 0);
}

/* Rows [first, last) of the window, whose row 0 is `top` in the image. */
void load_rows(__local int *window, __global const int *in, int first, int last, int left, int top, int width,
               int height)
{
    const int lid = get_local_id(0);
    const int mine = mirrored(left + 2 + lid, width);
    const int border = mirrored(lid < 2 ? left + lid : left + 2 + WIN_X, width);

    for (int r = first; r < last; r++) {
        const int y = mirrored(top + r, height);
        window[r * COLUMNS + 2 + lid] = in[y * width + mine];
        if (lid < 3)
            window[r * COLUMNS + (lid < 2 ? lid : WIN_X + 2)] = in[y * width + border];
    }
}

void transform_rows(__local int *window, int first, int last)
{
    for (int k = get_local_id(0); k < (last - first) * (WIN_X / 2 + 1); k += WIN_X) {
        const int at = (first + k / (WIN_X / 2 + 1)) * COLUMNS + 2 * (k % (WIN_X / 2 + 1)) + 1;
        window[at] -= (window[at - 1] + window[at + 1]) / 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < (last - first) * (WIN_X / 2); k += WIN_X) {
        const int at = (first + k / (WIN_X / 2)) * COLUMNS + 2 * (k % (WIN_X / 2)) + 2;
        window[at] += (window[at - 1] + window[at + 1] + 2) / 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void dwt53(__global const int *in, __global int *out, const int width, const int height, const int steps)
{
    __local int window[ROWS * COLUMNS];
    const int lid = get_local_id(0);
    const int left = get_group_id(0) * WIN_X - 2;
    const int x = left + 2 + lid;
    const int to_x = x % 2 ? (width + 1) / 2 + x / 2 : x / 2;
    int top = get_group_id(1) * WIN_Y * steps - 2;
    __local int *column = window + 2 + lid;

    load_rows(window, in, 0, 3, left, top, width, height);
    barrier(CLK_LOCAL_MEM_FENCE);
    transform_rows(window, 0, 3);
    column[COLUMNS] -= (column[0] + column[2 * COLUMNS]) / 2;

    for (int step = 0; step < steps; step++) {
        load_rows(window, in, 3, ROWS, left, top, width, height);
        barrier(CLK_LOCAL_MEM_FENCE);
        transform_rows(window, 3, ROWS);

        for (int r = 3; r < ROWS - 1; r += 2)
            column[r * COLUMNS] -= (column[(r - 1) * COLUMNS] + column[(r + 1) * COLUMNS]) / 2;
        for (int r = 2; r < ROWS - 1; r += 2)
            column[r * COLUMNS] += (column[(r - 1) * COLUMNS] + column[(r + 1) * COLUMNS] + 2) / 4;

        if (x < width) {
            for (int r = 2; r < ROWS - 1; r++) {
                const int y = top + r;
                if (y < height)
                    out[(y % 2 ? (height + 1) / 2 + y / 2 : y / 2) * width + to_x] = column[r * COLUMNS];
            }
        }
        column[COLUMNS] = column[(ROWS - 2) * COLUMNS];
        column[2 * COLUMNS] = column[(ROWS - 1) * COLUMNS];
        top += WIN_Y;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
