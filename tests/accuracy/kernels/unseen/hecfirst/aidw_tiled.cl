/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive inverse distance weighting: the mean distance of a place's nearest points, relative to that of points
   at random, gives the power of the distance by fuzzy levels; all points then pass through local memory. */
float power_of(float observed, int points, float area)
{
    const float expected = 1.0f / (2.0f * sqrt(points / area));
    const float ratio = observed / expected;
    const float least = 0.0f, most = 2.0f;
    float level = 0.0f, power = 0.0f;

    if (ratio >= least)
        level = 0.5f - 0.5f * cos(3.1415926f / most * (ratio - least));
    if (ratio >= most)
        level = 1.0f;

    if (level >= 0.0f && level <= 0.1f)
        power = 1.5f;
    if (level > 0.1f && level <= 0.3f)
        power = 1.5f * (1.0f - 5.0f * (level - 0.1f)) + 5.0f * 2.0f * (level - 0.1f);
    if (level > 0.3f && level <= 0.5f)
        power = 5.0f * 2.5f * (level - 0.3f) + 2.0f * (1.0f - 5.0f * (level - 0.3f));
    if (level > 0.5f && level <= 0.7f)
        power = 2.5f * (1.0f - 5.0f * (level - 0.5f)) + 5.0f * 3.0f * (level - 0.5f);
    if (level > 0.7f && level <= 0.9f)
        power = 5.0f * 3.5f * (level - 0.7f) + 3.0f * (1.0f - 5.0f * (level - 0.7f));
    if (level > 0.9f && level <= 1.0f)
        power = 3.5f;
    return 0.5f * power;
}

__kernel void aidw_tiled(__global const float *data_x, __global const float *data_y, __global const float *data_z,
                         const int points, __global const float *x, __global const float *y, __global float *z,
                         const int places, const float area, __global const float *mean_distance)
{
    __local float tile_x[TILE], tile_y[TILE], tile_z[TILE];
    const int i = get_global_id(0), lid = get_local_id(0);
    const int mine = min(i, places - 1);
    const float power = power_of(mean_distance[mine], points, area);
    const float my_x = x[mine], my_y = y[mine];
    float sum_up = 0.0f, sum_down = 0.0f;

    for (int base = 0; base < points; base += TILE) {
        const int here = min(TILE, points - base);
        if (lid < here) {
            tile_x[lid] = data_x[base + lid];
            tile_y[lid] = data_y[base + lid];
            tile_z[lid] = data_z[base + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < here; k++) {
            const float dx = my_x - tile_x[k], dy = my_y - tile_y[k];
            const float weight = 1.0f / pow(dx * dx + dy * dy, power);
            sum_down += weight;
            sum_up += weight * tile_z[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < places)
        z[i] = sum_up / sum_down;
}
