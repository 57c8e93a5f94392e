// SPDX-License-Identifier: Apache-2.0
// Macroscopic cross sections for particles that are about to collide, in the way of XSBench: a place on the grid that
// all nuclides share is bisected for, from it each nuclide of the material is told where its own points lie, and five
// reactions are interpolated and summed by number density. The shared grid is in lethargy, counted in 1e-6.

typedef struct {
    float lethargy;
    float total, elastic, absorption, fission, nu_fission;
} point_t;

int grid_place(__global const int *grid, const int length, const int quarry)
{
    int low = 0, high = length - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (grid[middle] > quarry)
            high = middle;
        else
            low = middle;
    }
    return low;
}

__kernel void macro_xs(__global const int *lethargy, __global const int *material, __global const int *union_grid,
                       const int union_length, __global const int *start_of, const int nuclides,
                       __global const point_t *points, const int points_each, __global const int *row,
                       __global const int *nuclide, __global const float *density, __global float *xs,
                       __global uchar *kind, const int particles)
{
    const int i = get_global_id(0);
    if (i >= particles)
        return;

    const int u = lethargy[i];
    const float here = u * 1e-6f;
    const int place = grid_place(union_grid, union_length, u);
    const int m = material[i];

    float total = 0.0f, elastic = 0.0f, absorption = 0.0f, fission = 0.0f, nu_fission = 0.0f;
    for (int k = row[m]; k < row[m + 1]; k++) {
        const int n = nuclide[k];
        __global const point_t *low = points + (size_t)n * points_each + start_of[place * nuclides + n];
        const point_t a = low[0], b = low[1];
        const float f = b.lethargy > a.lethargy ? clamp((b.lethargy - here) / (b.lethargy - a.lethargy), 0.0f, 1.0f)
                                                : 0.5f;
        const float by = density[k];
        total += by * (b.total - f * (b.total - a.total));
        elastic += by * (b.elastic - f * (b.elastic - a.elastic));
        absorption += by * (b.absorption - f * (b.absorption - a.absorption));
        fission += by * (b.fission - f * (b.fission - a.fission));
        nu_fission += by * (b.nu_fission - f * (b.nu_fission - a.nu_fission));
    }

    xs[i] = total;
    xs[particles + i] = elastic;
    xs[2 * particles + i] = absorption;
    xs[3 * particles + i] = fission;
    xs[4 * particles + i] = nu_fission;

    // Which reaction weighs most, for the queues of the next stage.
    uchar most = 0;
    float best = elastic;
    if (absorption > best) {
        best = absorption;
        most = 1;
    }
    if (fission > best)
        most = 2;
    kind[i] = most;
}
