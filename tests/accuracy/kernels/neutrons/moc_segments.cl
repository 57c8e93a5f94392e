/* SPDX-License-Identifier: Apache-2.0 */
/* A transport sweep by the method of characteristics: a work-item is a track and an energy group, and goes along the
   track's segments and back again. 1 - exp(-tau) comes from a table with linear interpolation; what each segment
   gives to the scalar flux of its flat source region is added atomically. */

inline void add_float(volatile __global float *to, const float value)
{
    union { uint bits; float number; } was, becomes;

    do {
        was.number = *to;
        becomes.number = was.number + value;
    } while (atomic_cmpxchg((volatile __global uint *)to, was.bits, becomes.bits) != was.bits);
}

inline float one_minus_exp(__constant float2 *table, const int entries, const float per_step, const float tau)
{
    const int at = min((int)(tau * per_step), entries - 1);
    const float2 line = table[at];

    return line.x * tau + line.y;
}

__kernel void moc_segments(__global const int *first_segment, __global const int *region, __global const float *length,
                           __global const float *sigma_t, __global const float *source, __constant float2 *table,
                           const int entries, const float per_step, __global const float *weight,
                           __global float *entering, __global float *leaving, __global float *flux, const int tracks)
{
    const int g = get_global_id(0), groups = get_global_size(0);
    const int track = get_global_id(1);
    if (track >= tracks)
        return;

    const int begin = first_segment[track], end = first_segment[track + 1];
    const float w = weight[track];

    float psi = entering[2 * track * groups + g];
    for (int s = begin; s < end; s++) {
        const int at = region[s] * groups + g;
        const float loss = (psi - source[at]) * one_minus_exp(table, entries, per_step, sigma_t[at] * length[s]);
        psi -= loss;
        add_float(flux + at, w * loss);
    }
    leaving[2 * track * groups + g] = psi;

    psi = entering[(2 * track + 1) * groups + g];
    for (int s = end - 1; s >= begin; s--) {
        const int at = region[s] * groups + g;
        const float loss = (psi - source[at]) * one_minus_exp(table, entries, per_step, sigma_t[at] * length[s]);
        psi -= loss;
        add_float(flux + at, w * loss);
    }
    leaving[(2 * track + 1) * groups + g] = psi;
}
