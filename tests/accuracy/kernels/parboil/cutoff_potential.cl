/* SPDX-License-Identifier: Apache-2.0 */
/* Electrostatic potential with a cutoff on a lattice. Atoms are in bins of up to eight (x, y, z, charge; no charge:
   no more atoms). A work-group brings the bins around its region to local memory, some at a time; a work-item
   has four points, along y. Regions lie one after the other in the lattice. */
#define BIN_ATOMS 8
#define BIN_FLOATS (4 * BIN_ATOMS)
#define CACHED_BINS 32
#define POINTS 4
#define SPAN ((int)get_local_size(1))

__kernel void cutoff_potential(const int bins_x, const int bins_y, __global const float *bins, const float h,
                               const float bins_per_length, const float cutoff2, const float by_cutoff2,
                               __global float *lattice, __constant int4 *offsets, const int bins_around)
{
    __local float cache[CACHED_BINS * BIN_FLOATS];

    const int lx = get_local_id(0), ly = get_local_id(1), lz = get_local_id(2);
    const int gx = get_group_id(0), gy = get_group_id(1), gz = get_group_id(2);
    const int width = get_local_size(0), depth = get_local_size(2), height = POINTS * SPAN;
    const int lid = (lz * SPAN + ly) * width + lx;
    const int loaders = width * SPAN * depth / 16;

    const int bin_x = (int)floor((width * gx + width / 2) * h * bins_per_length);
    const int bin_y = (int)floor((height * gy + height / 2) * h * bins_per_length);
    const int bin_z = (int)floor((depth * gz + depth / 2) * h * bins_per_length);

    const float x = (width * gx + lx) * h;
    const float y = (height * gy + ly) * h;
    const float z = (depth * gz + lz) * h;
    float energy0 = 0.0f, energy1 = 0.0f, energy2 = 0.0f, energy3 = 0.0f;

    for (int done = 0; done < bins_around; done += CACHED_BINS) {
        const int cached = min(bins_around - done, CACHED_BINS);

        barrier(CLK_LOCAL_MEM_FENCE);
        for (int b = lid >> 4; b < cached; b += loaders) {
            const int4 offset = offsets[done + b];
            __global const float *bin =
                bins + (((bin_z + offset.z) * bins_y + bin_y + offset.y) * bins_x + bin_x + offset.x) * BIN_FLOATS;
            cache[b * BIN_FLOATS + (lid & 15)] = bin[lid & 15];
            cache[b * BIN_FLOATS + (lid & 15) + 16] = bin[(lid & 15) + 16];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int b = 0; b < cached; b++) {
            for (int k = 0; k < BIN_ATOMS; k++) {
                const int at = b * BIN_FLOATS + 4 * k;
                const float charge = cache[at + 3];
                if (charge == 0.0f)
                    break;
                const float dx = cache[at] - x, dz = cache[at + 2] - z;
                const float flat2 = dx * dx + dz * dz;
                float dy = cache[at + 1] - y;
                float r2 = dy * dy + flat2;
                if (r2 < cutoff2) {
                    const float s = 1.0f - r2 * by_cutoff2;
                    energy0 += charge * rsqrt(r2) * s * s;
                }
                dy -= SPAN * h;
                r2 = dy * dy + flat2;
                if (r2 < cutoff2) {
                    const float s = 1.0f - r2 * by_cutoff2;
                    energy1 += charge * rsqrt(r2) * s * s;
                }
                dy -= SPAN * h;
                r2 = dy * dy + flat2;
                if (r2 < cutoff2) {
                    const float s = 1.0f - r2 * by_cutoff2;
                    energy2 += charge * rsqrt(r2) * s * s;
                }
                dy -= SPAN * h;
                r2 = dy * dy + flat2;
                if (r2 < cutoff2) {
                    const float s = 1.0f - r2 * by_cutoff2;
                    energy3 += charge * rsqrt(r2) * s * s;
                }
            }
        }
    }

    const int region = (gz * (int)get_num_groups(1) + gy) * (int)get_num_groups(0) + gx;
    __global float *mine = lattice + region * width * height * depth + (lz * height + ly) * width + lx;
    mine[0] = energy0;
    mine[SPAN * width] = energy1;
    mine[2 * SPAN * width] = energy2;
    mine[3 * SPAN * width] = energy3;
}
