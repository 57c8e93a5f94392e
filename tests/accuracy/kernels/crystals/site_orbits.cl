// SPDX-License-Identifier: Apache-2.0
// Sites of a crystal under the operations of its space group, on a grid of 240 per cell edge: how many different
// places a site has (its multiplicity), and the first of them, by which equivalent sites are told to be the same.

#define GRID 240
#define OPERATIONS_MAX 48

struct operation {
    char turn[9];
    uchar shift[3];    // in 24ths
};

inline int wrap(int v)
{
    v %= GRID;
    return v < 0 ? v + GRID : v;
}

__kernel void site_orbits(__global const ushort4 *sites, __constant struct operation *operations, const int order,
                          __global uchar *multiplicity, __global uint *first, const uint count)
{
    const uint id = get_global_id(0);
    if (id >= count)
        return;

    const int4 s = convert_int4(sites[id]) % GRID;
    uint seen[OPERATIONS_MAX];
    int found = 0;
    uint least = 0xffffffffu;

    for (int k = 0; k < order; ++k) {
        const struct operation op = operations[k];
        const int x = wrap(op.turn[0] * s.x + op.turn[1] * s.y + op.turn[2] * s.z + op.shift[0] * (GRID / 24));
        const int y = wrap(op.turn[3] * s.x + op.turn[4] * s.y + op.turn[5] * s.z + op.shift[1] * (GRID / 24));
        const int z = wrap(op.turn[6] * s.x + op.turn[7] * s.y + op.turn[8] * s.z + op.shift[2] * (GRID / 24));
        const uint place = (uint)((x * GRID + y) * GRID + z);

        int j = 0;
        while (j < found && seen[j] != place)
            ++j;
        if (j == found)
            seen[found++] = place;
        least = min(least, place);
    }
    multiplicity[id] = (uchar)found;
    first[id] = least;
}
