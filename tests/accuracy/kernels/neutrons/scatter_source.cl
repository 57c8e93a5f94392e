// SPDX-License-Identifier: Apache-2.0
// The multigroup source of each cell, one work-group per cell: what all groups scatter into each, as far as the band
// of the material's matrix reaches, and a share of the fission neutrons, which the work-group adds up first.

#ifndef GROUPS
#define GROUPS 96
#endif

__kernel void scatter_source(__global const uchar *material, __global const float *flux, __global const int *band,
                             __global const int *band_low, __global const float *scatter,
                             __global const float *nu_sigma_f, __global const float *chi, const float k_effective,
                             __global float *source, __global float *produced, __local float *sums)
{
    __local float here[GROUPS];
    const int cell = get_group_id(0);
    const int lid = get_local_id(0), size = get_local_size(0);
    const int m = material[cell] & 7;

    float mine = 0.0f;
    for (int g = lid; g < GROUPS; g += size) {
        const float f = flux[cell * GROUPS + g];
        here[g] = f;
        mine += nu_sigma_f[m * GROUPS + g] * f;
    }
    sums[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = size >> 1; half_size > 0; half_size >>= 1) {
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float fission = sums[0] / k_effective;
    if (lid == 0)
        produced[cell] = fission;

    for (int g = lid; g < GROUPS; g += size) {
        const int r = m * GROUPS + g;
        const int low = band_low[r], start = band[r];
        const int reach = min(band[r + 1] - start, GROUPS - low);
        float in = chi[r] * fission;
        for (int t = 0; t < reach; t++)
            in += scatter[start + t] * here[low + t];
        source[cell * GROUPS + g] = in;
    }
}
