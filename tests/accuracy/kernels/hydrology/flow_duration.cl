/* SPDX-License-Identifier: Apache-2.0 */
/* Flow duration of gauges, a work-group each: discharges of a gauge's days (in l/s, 16 bits, 0xffff is missing) are
   counted in logarithmic classes, eight to an octave, from which the flows that are exceeded 95, 50 and 5 percent of the
   time are read. The longest run of days below a limit is put together from runs of all work-items. */
#define CLASSES 128
#define MISSING 0xffff

typedef struct {
    ushort head, tail, best, length;   /* days below: at the beginning, at the end, at most; all days */
} run_t;

int class_of(uint flow)
{
    if (flow < 8)
        return (int)flow;
    const int octave = 31 - (int)clz(flow);
    return 8 * (octave - 2) + (int)(flow >> (octave - 3) & 7);
}

uint class_low(int c)
{
    return c < 8 ? (uint)c : (8u + (uint)(c & 7)) << (c / 8 - 1);
}

__kernel void flow_duration(__global const ushort *flow, const int days, __global const ushort *limit,
                            __global uint *exceeded, __global ushort *longest, __global ushort *valid,
                            __local run_t *runs)
{
    __local uint count[CLASSES];
    const int gauge = get_group_id(0);
    const int lid = get_local_id(0), size = get_local_size(0);
    __global const ushort *series = flow + (size_t)gauge * days;

    for (int c = lid; c < CLASSES; c += size)
        count[c] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = lid; d < days; d += size) {
        const ushort q = series[d];
        if (q != MISSING)
            atomic_inc(&count[class_of(q)]);
    }

    /* Each has a stretch of neighbouring days. */
    const int each = (days + size - 1) / size;
    const int from = min(lid * each, days), to = min(from + each, days);
    const ushort low = limit[gauge];
    ushort now = 0;
    run_t mine = {0, 0, 0, (ushort)(to - from)};
    bool is_head = true;
    for (int d = from; d < to; d++) {
        if (series[d] < low) {
            now++;
            mine.best = max(mine.best, now);
            if (is_head)
                mine.head = now;
        } else {
            now = 0;
            is_head = false;
        }
    }
    mine.tail = now;
    runs[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid == 0) {
        run_t all = runs[0];
        for (int k = 1; k < size; k++) {
            const run_t next = runs[k];
            all.best = max(max(all.best, next.best), (ushort)(all.tail + next.head));
            all.tail = next.tail == next.length ? (ushort)(all.tail + next.length) : next.tail;
        }
        longest[gauge] = all.best;

        uint total = 0;
        for (int c = 0; c < CLASSES; c++)
            total += count[c];
        valid[gauge] = (ushort)total;
    } else if (lid <= 3) {
        const uint percent = lid == 1 ? 95 : lid == 2 ? 50 : 5;
        uint total = 0, above = 0;
        for (int c = 0; c < CLASSES; c++)
            total += count[c];
        int c = CLASSES;
        while (c > 0 && above * 100 < total * percent)
            above += count[--c];
        exceeded[3 * gauge + lid - 1] = class_low(c);
    }
}
