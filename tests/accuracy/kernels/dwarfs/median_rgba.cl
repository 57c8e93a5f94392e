// SPDX-License-Identifier: Apache-2.0
// Medians of 3 x 3 pixels in three channels: the tile and its rim are in local memory, and eight halvings of [0, 255]
// close in on the value that four of nine are above.
__kernel void median_rgba(__global const uchar4 *source, __global uint *filtered, __local uchar4 *tile,
                          const int pitch, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int last_x = get_local_size(0) - 1, rows = get_local_size(1);
    const int at = y * width + x;
    int local_at = ly * pitch + lx + 1;

    // The tile from a row above it; the first two rows of work-items take those behind as well.
    for (int pass = 0; pass < 2; pass++) {
        const int row = y - 1 + pass * rows, from = at + (pass * rows - 1) * width;
        if (pass == 1) {
            if (ly >= 2)
                break;
            local_at += rows * pitch;
        }
        const bool is_row = row >= 0 && row < height;
        tile[local_at] = is_row && x < width ? source[from] : (uchar4)(0);
        if (lx == last_x) {
            const int left = x - last_x - 1;
            tile[local_at - last_x - 1] = is_row && left >= 0 ? source[from - last_x - 1] : (uchar4)(0);
        } else if (lx == 0) {
            const int right = x + last_x + 1;
            tile[local_at + last_x + 1] = is_row && right < width ? source[from + last_x + 1] : (uchar4)(0);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float estimate[3] = {128.0f, 128.0f, 128.0f};
    float least[3] = {0.0f, 0.0f, 0.0f};
    float most[3] = {255.0f, 255.0f, 255.0f};
    for (int search = 0; search < 8; search++) {
        uint above[3] = {0, 0, 0};
        for (int row = 0; row < 3; row++) {
            const int first = (ly + row) * pitch + lx;
            for (int k = 0; k < 3; k++) {
                above[0] += estimate[0] < tile[first + k].x;
                above[1] += estimate[1] < tile[first + k].y;
                above[2] += estimate[2] < tile[first + k].z;
            }
        }
        for (int c = 0; c < 3; c++) {
            if (above[c] > 4)
                least[c] = estimate[c];
            else
                most[c] = estimate[c];
            estimate[c] = 0.5f * (most[c] + least[c]);
        }
    }
    if (x < width && y < height)
        filtered[at] = (uint)(estimate[0] + 0.5f) | (uint)(estimate[1] + 0.5f) << 8 |
                       (uint)(estimate[2] + 0.5f) << 16;
}
