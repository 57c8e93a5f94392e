// SPDX-License-Identifier: Apache-2.0
// Interpolation between stations by inverse distances. Stations are sorted by buckets of a square grid, and placed
// within theirs; a pixel hears those of its own bucket and the eight around it, as far as 1.5 buckets. A pixel that
// lies on a station has its value, one that hears nobody has none.

__kernel void idw_buckets(__global const int *start, __global const float4 *stations, const int buckets, const float power,
                          const float nothing, __global float *field)
{
    const int px = get_global_id(0), py = get_global_id(1);
    const int width = get_global_size(0), height = get_global_size(1);
    const float x = (px + 0.5f) * buckets / width, y = (py + 0.5f) * buckets / height;
    const int bx = (int)x, by = (int)y;

    float weights = 0.0f, sum = 0.0f;
    for (int row = max(by - 1, 0); row <= min(by + 1, buckets - 1); ++row)
        for (int column = max(bx - 1, 0); column <= min(bx + 1, buckets - 1); ++column) {
            const int end = start[row * buckets + column + 1];
            for (int s = start[row * buckets + column]; s < end; ++s) {
                const float4 station = stations[s]; /* x, y, value, trust */
                const float dx = column + station.x - x, dy = row + station.y - y;
                const float d2 = dx * dx + dy * dy;
                if (d2 < 1e-10f) {
                    field[py * width + px] = station.z;
                    return;
                }
                if (d2 > 2.25f)
                    continue;
                const float w = station.w * powr(d2, -0.5f * power);
                weights += w;
                sum += w * station.z;
            }
        }
    field[py * width + px] = weights > 0.0f ? sum / weights : nothing;
}
