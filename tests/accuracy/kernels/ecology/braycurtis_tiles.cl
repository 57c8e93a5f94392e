// SPDX-License-Identifier: Apache-2.0
// Bray-Curtis dissimilarities of all pairs of sites from counts of species, in tiles through local memory. Only
// work-groups on and above the diagonal work; they write both halves.
#ifndef TILE
#define TILE 16
#endif

__kernel void braycurtis_tiles(__global const ushort *counts, const int sites, const int species,
                               __global float *dissimilarity)
{
    __local ushort mine[TILE][TILE + 1];
    __local ushort other[TILE][TILE + 1];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    if (column < row)
        return;

    uint apart = 0, all = 0;
    for (int base = 0; base < species; base += TILE) {
        const bool is_species = base + lx < species;
        mine[ly][lx] = is_species && row + ly < sites ? counts[(row + ly) * species + base + lx] : 0;
        other[ly][lx] = is_species && column + ly < sites ? counts[(column + ly) * species + base + lx] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < TILE; ++k) {
            const uint a = mine[ly][k], b = other[lx][k];
            apart += abs_diff(a, b);
            all += a + b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int i = row + ly, j = column + lx;
    if (i >= sites || j >= sites)
        return;
    const float value = all == 0 ? 0.0f : (float)apart / (float)all;
    dissimilarity[i * sites + j] = value;
    if (column != row)
        dissimilarity[j * sites + i] = value;
}
