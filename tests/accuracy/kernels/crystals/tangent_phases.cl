/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of the tangent formula of direct methods: each reflection's phase from all triplets h = k + (h - k)
 * that it is in. Triplets of a reflection are a row; bits of `turns` say which of the two phases counts with its
 * sign turned. */
__kernel void tangent_phases(__global const int *row, __global const int *partner_k, __global const int *partner_hk,
                             __global const uchar *turns, __global const float *e, __global const float *phase,
                             const float kappa, const float alpha_min, __global float *refined, __global float *alpha,
                             __global uint *kept, const int reflections)
{
    const int h = get_global_id(0);
    if (h >= reflections)
        return;

    float top = 0.0f, bottom = 0.0f;
    const int end = row[h + 1];
    for (int t = row[h]; t < end; t++) {
        const int k = partner_k[t], hk = partner_hk[t];
        const float weight = e[k] * e[hk];
        const float a = turns[t] & 1 ? -phase[k] : phase[k];
        const float b = turns[t] & 2 ? -phase[hk] : phase[hk];
        top += weight * sin(a + b);
        bottom += weight * cos(a + b);
    }

    const float strength = kappa * e[h] * hypot(top, bottom);
    alpha[h] = strength;
    if (strength < alpha_min) {
        refined[h] = phase[h];
        atomic_inc(kept);
        return;
    }
    float angle = atan2(top, bottom);
    if (angle < 0.0f)
        angle += 6.2831853f;
    refined[h] = angle;
}
