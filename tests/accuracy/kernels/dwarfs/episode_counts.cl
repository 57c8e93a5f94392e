// SPDX-License-Identifier: Apache-2.0
// Temporal data mining: how often episodes (rows of symbols, each within a time of the one before) occur in a stream
// of events, without overlaps. A work-item has an episode; events come through local memory.
#define LEVEL_MAX 8
#define NEVER (-(1 << 30))

__kernel void episode_counts(__global const uchar *symbols, __global const int *times, const int events,
                             __global const uchar *episodes, __global const int *limits, const int level,
                             const int episode_count, __global uint *counts, __local uchar *symbols_here,
                             __local int *times_here)
{
    const int id = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    uchar episode[LEVEL_MAX];
    int limit[LEVEL_MAX];
    int seen[LEVEL_MAX];
    uint count = 0;

    for (int k = 0; k < level; k++) {
        episode[k] = id < episode_count ? episodes[id * level + k] : 0;
        limit[k] = id < episode_count ? limits[id * level + k] : 0;
        seen[k] = NEVER;
    }
    for (int base = 0; base < events; base += size) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (base + lid < events) {
            symbols_here[lid] = symbols[base + lid];
            times_here[lid] = times[base + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int here = min(size, events - base);
        for (int e = 0; e < here; e++) {
            const uchar symbol = symbols_here[e];
            const int time = times_here[e];
            bool is_complete = false;
            for (int k = level - 1; k > 0 && !is_complete; k--) {
                if (symbol != episode[k] || time - seen[k - 1] > limit[k])
                    continue;
                seen[k] = time;
                is_complete = k == level - 1;
            }
            if (is_complete) {
                count++;
                for (int k = 0; k < level; k++)
                    seen[k] = NEVER;
            } else if (symbol == episode[0]) {
                seen[0] = time;
            }
        }
    }
    if (id < episode_count)
        counts[id] = count;
}
