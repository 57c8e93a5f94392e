// SPDX-License-Identifier: Apache-2.0
// Seed rain of a forest: each tree sheds seeds by its basal area, a seed lands after a two-dimensional Student's kernel
// in a uniform direction, drifted by wind. Seeds beyond the plot are counted as lost.

typedef struct {
    float x, y;       // hectometres
    float dbh;        // m, diameter at breast height
    float crown;      // m
} tree_t;

static inline uint next(uint *s)
{
    uint v = *s;
    v ^= v << 13;
    v ^= v >> 17;
    v ^= v << 5;
    return *s = v;
}

static inline float unit(uint *s) { return ((next(s) >> 8) + 0.5f) * 0x1p-24f; }

__kernel void seed_dispersal(__global const tree_t *trees, __global const uchar *species, __constant float2 *kernels,
                             const float fecundity, const float2 drift, const float cell, const int cells,
                             __global uint *rain, __global uint *lost, const uint salt, const int count)
{
    const int id = get_global_id(0);
    if (id >= count) return;

    const tree_t tree = trees[id];
    const int kind = species[id] & 7;
    const float scale = kernels[kind].x;           // m
    const float shape = kernels[kind].y;
    const int seeds = (int)(fecundity * tree.dbh * tree.dbh);

    uint state = (uint)(id + 1) * 2654435761u ^ salt;
    if (state == 0) state = 1;
    for (int k = 0; k < 4; k++) next(&state);

    uint gone = 0;
    for (int k = 0; k < seeds; k++) {
        const float far = scale * sqrt(pow(unit(&state), -1.0f / shape) - 1.0f) + tree.crown * 0.5f;
        float cosine;
        const float sine = sincos(6.2831853f * unit(&state), &cosine);
        const float2 land = (float2)(100.0f * tree.x + far * cosine, 100.0f * tree.y + far * sine) + drift * far;
        const int2 at = convert_int2_rtn(land / cell);
        if (any(at < 0) || any(at >= cells))
            gone++;
        else
            atomic_inc(&rain[(kind * cells + at.y) * cells + at.x]);
    }
    if (gone)
        atomic_add(lost, gone);
}
