// SPDX-License-Identifier: Apache-2.0
// Deinterleaving of radar pulses: differences between times of arrival (sorted, in 25 ns ticks), of each pulse and all
// that follow within a span, as a histogram by bins and a PRI transform's modulus, where subharmonics die out.
// The histogram of a work-group stands in local memory.

#define BINS 256
#define FIXED 64.0f

__kernel void pri_histogram(__global const int *toa, const int pulses, const int origin, const int span,
                            const float bins_per_tick, __global uint *histogram, __global int *cosines,
                            __global int *sines)
{
    __local uint seen[BINS];
    __local int re[BINS], im[BINS];
    const int lid = get_local_id(0);

    for (int b = lid; b < BINS; b += get_local_size(0)) {
        seen[b] = 0;
        re[b] = 0;
        im[b] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int first = get_global_id(0); first < pulses; first += get_global_size(0)) {
        const int from = toa[first];
        for (int second = first + 1; second < pulses; ++second) {
            const int apart = toa[second] - from;
            if (apart > span)
                break;
            if (apart == 0)
                continue;
            const int bin = min((int)(apart * bins_per_tick), BINS - 1);
            float turn = (float)(toa[second] - origin) / (float)apart;
            turn -= floor(turn);
            atomic_inc(&seen[bin]);
            atomic_add(&re[bin], convert_int_rte(FIXED * cospi(2.0f * turn)));
            atomic_add(&im[bin], convert_int_rte(FIXED * sinpi(2.0f * turn)));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = lid; b < BINS; b += get_local_size(0)) {
        if (seen[b] == 0)
            continue;
        atomic_add(&histogram[b], seen[b]);
        atomic_add(&cosines[b], re[b]);
        atomic_add(&sines[b], im[b]);
    }
}
