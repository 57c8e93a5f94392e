/* SPDX-License-Identifier: Apache-2.0 */
/* L'Ecuyer's combined multiple recursive generator MRG32k3a: each work-item has a stream of its own and draws `draws`
   uniform numbers from it. */
#define M1 4294967087UL
#define M2 4294944443UL

__kernel void mrg32k3a(__global uint *states, __global float *out, const int draws)
{
    const int i = get_global_id(0);
    const int streams = get_global_size(0);
    uint s10 = states[6 * i], s11 = states[6 * i + 1], s12 = states[6 * i + 2];
    uint s20 = states[6 * i + 3], s21 = states[6 * i + 4], s22 = states[6 * i + 5];

    for (int k = 0; k < draws; k++) {
        const uint p1 = (1403580UL * s11 + 810728UL * (M1 - s10)) % M1;
        s10 = s11;
        s11 = s12;
        s12 = p1;
        const uint p2 = (527612UL * s22 + 1370589UL * (M2 - s20)) % M2;
        s20 = s21;
        s21 = s22;
        s22 = p2;
        const ulong z = p1 > p2 ? p1 - p2 : p1 + M1 - p2;
        out[k * streams + i] = z * 2.328306549295727688e-10f;
    }
    states[6 * i] = s10;
    states[6 * i + 1] = s11;
    states[6 * i + 2] = s12;
    states[6 * i + 3] = s20;
    states[6 * i + 4] = s21;
    states[6 * i + 5] = s22;
}
