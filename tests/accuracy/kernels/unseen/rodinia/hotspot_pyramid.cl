/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature of a chip over some steps at once: a work-group loads a tile of temperature and power, of which each
   step leaves a ring less that is valid, and writes what is left. */
__kernel void hotspot_pyramid(const int steps, __global const float *power, __global const float *from,
                              __global float *to, const int columns, const int rows, const float step_by_capacity,
                              const float rx, const float ry, const float rz)
{
    __local float temperature[SIDE][SIDE];
    __local float heat[SIDE][SIDE];
    __local float after[SIDE][SIDE];

    const float ambient = 80.0f;
    const int tx = get_local_id(0), ty = get_local_id(1);
    const float by_rx = 1.0f / rx, by_ry = 1.0f / ry, by_rz = 1.0f / rz;

    const int small = SIDE - steps * 2;
    const int top = small * (int)get_group_id(1) - steps;
    const int left = small * (int)get_group_id(0) - steps;
    const int y = top + ty, x = left + tx;
    const int at = columns * y + x;

    if (y >= 0 && y <= rows - 1 && x >= 0 && x <= columns - 1) {
        temperature[ty][tx] = from[at];
        heat[ty][tx] = power[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* what of the tile is in the image */
    const int first_y = top < 0 ? -top : 0;
    const int last_y = top + SIDE - 1 > rows - 1 ? SIDE - 1 - (top + SIDE - rows) : SIDE - 1;
    const int first_x = left < 0 ? -left : 0;
    const int last_x = left + SIDE - 1 > columns - 1 ? SIDE - 1 - (left + SIDE - columns) : SIDE - 1;
    const int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
    const int west = max(tx - 1, first_x), east = min(tx + 1, last_x);

    bool is_computed = false;
    for (int i = 0; i < steps; i++) {
        is_computed = false;
        if (tx >= i + 1 && tx <= SIDE - i - 2 && ty >= i + 1 && ty <= SIDE - i - 2 && tx >= first_x &&
            tx <= last_x && ty >= first_y && ty <= last_y) {
            is_computed = true;
            after[ty][tx] =
                temperature[ty][tx] +
                step_by_capacity *
                    (heat[ty][tx] +
                     (temperature[south][tx] + temperature[north][tx] - 2.0f * temperature[ty][tx]) * by_ry +
                     (temperature[ty][east] + temperature[ty][west] - 2.0f * temperature[ty][tx]) * by_rx +
                     (ambient - temperature[ty][tx]) * by_rz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1)
            break;
        if (is_computed)
            temperature[ty][tx] = after[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (is_computed)
        to[at] = after[ty][tx];
}
