/* SPDX-License-Identifier: Apache-2.0 */
/* A segment of a sieve per work-group: flags in local memory, one byte for each odd number. Every step crosses its
 * odd multiples out; what is left is counted. gaps[]: steps are 2 * gap + 3. */
#ifndef SEGMENT
#define SEGMENT 8192
#endif

__kernel void sieve_segment(__global const int *gaps, int steps, uint origin, __global uint *left)
{
    __local uchar crossed[SEGMENT];
    __local uint total;
    const uint tid = get_local_id(0);
    const uint threads = get_local_size(0);
    const uint base = origin + get_group_id(0) * SEGMENT; /* the flag of 2 * base + 1 */
    uint mine = 0;

    for (uint i = tid; i < SEGMENT / 4; i += threads)
        ((__local uint *)crossed)[i] = 0;
    if (tid == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = tid; s < steps; s += threads) {
        const uint p = 2 * gaps[s] + 3;
        /* flag j is crossed when 2 (base + j) + 1 is a multiple of p: base + j = p / 2 modulo p */
        uint behind = base % p;
        uint j = p / 2 >= behind ? p / 2 - behind : p / 2 + p - behind;
        for (; j < SEGMENT; j += p)
            crossed[j] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = tid; i < SEGMENT; i += threads)
        mine += !crossed[i];
    atomic_add(&total, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0)
        left[get_group_id(0)] = total;
}
