/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of matches between a read and a reference: a work-group takes a tile of TILE anchors, and its work-items
   hold the next BACK of them. Each anchor in turn offers itself as the one before to all that follow. */
#define TILE 1024
#define NEVER (-(1 << 30))

int offer(const int x, const int y, const int width, const int tag, const int4 from, const float mean_span,
          const int distance_x, const int distance_y, const int band)
{
    if (tag != from.w)
        return NEVER;
    const int dx = x - from.x;
    if (dx == 0 || dx > distance_x)
        return NEVER;
    const int dy = y - from.y;
    if (dy > distance_y || dy <= 0)
        return NEVER;
    const int apart = abs(dy - dx);
    if (apart > band)
        return NEVER;
    const int nearest = min(dy, dx);
    const int score = min(nearest, width);
    const int log_apart = apart ? 31 - clz(apart) : 0;
    return score - (int)(apart * (0.01f * mean_span)) - (log_apart >> 1);
}

__kernel void chain_anchors(__global const int *x, __global const int *y, __global const int *widths,
                            __global const int *tags, __global int *scores, __global int *parents,
                            const float mean_span, const int distance_x, const int distance_y, const int band)
{
    __local int4 active[BACK];
    __local int best[BACK];
    __local int before[BACK];
    const int lid = get_local_id(0);
    const int first = get_group_id(0) * (TILE + BACK);
    const int out = get_group_id(0) * TILE;

    active[lid] = (int4)(x[first + lid], y[first + lid], widths[first + lid], tags[first + lid]);
    best[lid] = 0;
    before[lid] = -1;

    for (int i = BACK, now = 0; now < TILE; i++, now++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int4 current = active[i % BACK];
        int score = best[i % BACK];
        int parent = before[i % BACK];
        if (current.z >= score) {
            score = current.z;
            parent = -1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == i % BACK) {
            active[lid] = (int4)(x[first + i], y[first + i], widths[first + i], tags[first + i]);
            best[lid] = 0;
            before[lid] = -1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int4 mine = active[lid];
        const int offered =
            offer(mine.x, mine.y, mine.z, mine.w, current, mean_span, distance_x, distance_y, band);
        if (offered + score >= best[lid]) {
            best[lid] = offered + score;
            before[lid] = now;
        }
        if (lid == now % BACK) {
            scores[out + now] = score;
            parents[out + now] = parent;
        }
    }
}
