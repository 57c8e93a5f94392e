// SPDX-License-Identifier: Apache-2.0
// Ordered-statistic CFAR on a range-Doppler map: a cell is a detection when it is well above the rank-th smallest of
// the training cells on its cross, beyond guard cells. Doppler wraps around, range does not.

#define ARM_MAX 10

__kernel void cfar_os(__global const float *map, const int ranges, const int dopplers, const int guard, const int arm,
                      const float rank, const float factor, __global uint2 *hits, __global uint *hit_count,
                      const uint capacity)
{
    const int d = get_global_id(0);
    const int r = get_global_id(1);
    if (d >= dopplers || r >= ranges)
        return;

    float sorted[4 * ARM_MAX];
    int found = 0;
    for (int k = guard + 1; k <= guard + arm; ++k) {
        for (int side = 0; side < 4; ++side) {
            const int sign = side & 1 ? -k : k;
            int at_r = r, at_d = d;
            if (side < 2) {
                at_r += sign;
                if (at_r < 0 || at_r >= ranges)
                    continue;
            } else {
                at_d += sign;
                if (at_d < 0)
                    at_d += dopplers;
                else if (at_d >= dopplers)
                    at_d -= dopplers;
            }
            const float level = map[at_r * dopplers + at_d];
            int place = found++;
            for (; place > 0 && sorted[place - 1] > level; --place)
                sorted[place] = sorted[place - 1];
            sorted[place] = level;
        }
    }
    const float clutter = sorted[min((int)(rank * found), found - 1)];
    const float cell = map[r * dopplers + d];
    if (cell > factor * clutter) {
        const uint at = atomic_inc(hit_count);
        if (at < capacity)
            hits[at] = (uint2)((uint)(r * dopplers + d), as_uint(cell / clutter));
    }
}
