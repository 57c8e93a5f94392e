// SPDX-License-Identifier: Apache-2.0
// Loads pallets, one per work-item: boxes come in order, and each goes where its top ends up lowest, either way
// around, on the heights of a grid of 12 by 8. What would rise above the limit stays behind.

#define COLUMNS 12
#define LINES 8

// The height that a box of w by d at (x, y) would stand on.
inline uchar ground(const uchar *heights, int x, int y, int w, int d)
{
    uchar top = 0;
    for (int j = y; j < y + d; ++j)
        for (int i = x; i < x + w; ++i)
            top = max(top, heights[j * COLUMNS + i]);
    return top;
}

__kernel void pallet_stack(__global const int *start, __global const uchar *boxes, const int limit,
                           __global int *volume, __global uchar *left_behind, __global uchar *surface,
                           const int pallets)
{
    const int id = get_global_id(0);
    if (id >= pallets)
        return;

    uchar heights[COLUMNS * LINES];
    for (int k = 0; k < COLUMNS * LINES; ++k)
        heights[k] = 0;

    int filled = 0, rejected = 0;
    for (int b = start[id]; b < start[id + 1]; ++b) {
        const uchar size = boxes[b];
        const int w = 1 + (size & 3), d = 1 + (size >> 2 & 3), h = 1 + (size >> 4);
        int lowest = limit - h + 1, best_x = -1, best_y = -1, is_turned = 0;

        for (int turn = 0; turn < (w == d ? 1 : 2) && lowest > 0; ++turn) {
            const int across = turn ? d : w, along = turn ? w : d;
            for (int y = 0; y + along <= LINES && lowest > 0; ++y)
                for (int x = 0; x + across <= COLUMNS; ++x) {
                    const int z = ground(heights, x, y, across, along);
                    if (z < lowest) {
                        lowest = z;
                        best_x = x;
                        best_y = y;
                        is_turned = turn;
                        if (z == 0)
                            break;
                    }
                }
        }
        if (best_x < 0) {
            ++rejected;
            continue;
        }
        const int across = is_turned ? d : w, along = is_turned ? w : d;
        for (int j = 0; j < along; ++j)
            for (int i = 0; i < across; ++i)
                heights[(best_y + j) * COLUMNS + best_x + i] = (uchar)(lowest + h);
        filled += w * d * h;
    }

    volume[id] = filled;
    left_behind[id] = (uchar)min(rejected, 255);
    for (int k = 0; k < COLUMNS * LINES; ++k)
        surface[k * pallets + id] = heights[k];
}
