// SPDX-License-Identifier: Apache-2.0
// What can be seen from a few observers: each work-item follows one azimuth outwards, cell by cell, and marks those
// that stand higher than the horizon so far, with earth's curvature and refraction. Rows of work-items are observers,
// a bit each.

__kernel void viewshed_rays(__global const float *elevation, const int side, const float cell,
                            __global const int2 *observers, const float eye, const int reach, __global uint *visible)
{
    const int ray = get_global_id(0), observer = get_global_id(1);
    const int2 from = observers[observer];
    const float ground = elevation[from.y * side + from.x] + eye;

    float sine, cosine;
    sine = sincos(2.0f * M_PI_F * ray / get_global_size(0), &cosine);
    float horizon = -INFINITY;

    for (int r = 1; r <= reach; ++r) {
        const int x = from.x + convert_int_rte(r * cosine), y = from.y + convert_int_rte(r * sine);
        if (x < 0 || y < 0 || x >= side || y >= side)
            break;
        const float away = r * cell;
        const float fall = 0.87f * away * away / 12742000.0f;
        const float angle = (elevation[y * side + x] - fall - ground) / away;
        if (angle > horizon) {
            horizon = angle;
            atomic_or(&visible[y * side + x], 1u << observer);
        }
    }
}
