/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy mapping: along the line to every hit cells become less likely to be occupied, the hit itself more. Bresenham,
   log odds as integers, one work-item per ray. */
#define FREE_STEP  (-3)
#define HIT_STEP   9

__kernel void carve_scan(__global const int *hit_x, __global const int *hit_y, __global const int *station,
                         __global const int *station_x, __global const int *station_y, __global int *log_odds,
                         int width, int rays)
{
    int r = get_global_id(0);
    if (r >= rays) return;

    int x = station_x[station[r]], y = station_y[station[r]];
    int x1 = hit_x[r], y1 = hit_y[r];
    int dx = abs(x1 - x), dy = -(int)abs(y1 - y);
    int sx = x < x1 ? 1 : -1, sy = y < y1 ? 1 : -1;
    int err = dx + dy;

    while (x != x1 || y != y1) {
        atomic_add(&log_odds[y * width + x], FREE_STEP);
        int e2 = 2 * err;
        if (e2 >= dy) { err += dy; x += sx; }
        if (e2 <= dx) { err += dx; y += sy; }
    }
    atomic_add(&log_odds[y * width + x], HIT_STEP);
}
