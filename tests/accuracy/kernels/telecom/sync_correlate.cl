// SPDX-License-Identifier: Apache-2.0
// Where does a known sequence begin? Each work-item correlates one lag, normalised by the energy of what was
// received; the best lag of a work-group is found in local memory, the best of all by an atomic maximum of the
// metric's bits.

__kernel void sync_correlate(__global const float2 *received, __constant float2 *sequence, const int taps, const int lags,
                             __global float *metric_out, __global int *best_lag, __global uint *peak,
                             __local float *values, __local int *places)
{
    const int lag = get_global_id(0), lid = get_local_id(0);
    float metric = 0.0f;

    if (lag < lags) {
        float re = 0.0f, im = 0.0f, energy = 1e-9f;
        for (int t = 0; t < taps; ++t) {
            const float2 r = received[lag + t];
            const float2 s = sequence[t];
            re += r.x * s.x + r.y * s.y;
            im += r.y * s.x - r.x * s.y;
            energy += r.x * r.x + r.y * r.y;
        }
        metric = (re * re + im * im) / energy;
        metric_out[lag] = metric;
    }

    values[lid] = metric;
    places[lid] = lag;
    for (int step = get_local_size(0) >> 1; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step && values[lid + step] > values[lid]) {
            values[lid] = values[lid + step];
            places[lid] = places[lid + step];
        }
    }
    if (lid == 0) {
        best_lag[get_group_id(0)] = places[0];
        atomic_max(peak, as_uint(values[0]));
    }
}
