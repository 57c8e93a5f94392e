// SPDX-License-Identifier: Apache-2.0
// Soft-decision Viterbi decoding of the rate 1/2 convolutional code of constraint length 7 (generators 171 and 133,
// octal). 64 work-items, a state each, decode a frame that ends in state 0; a work-group has FRAMES of them. A
// state's number is the last six bits, the newest on top. Soft bits are positive for 0.

#define STATES 64
#ifndef FRAMES
#define FRAMES 1
#endif

inline int parity(uint x)
{
    x ^= x >> 4;
    x ^= x >> 2;
    x ^= x >> 1;
    return x & 1;
}

__kernel void viterbi_k7(__global const char2 *soft, __global uchar *decisions, __global uint *bits, const int length)
{
    __local int metric[2][FRAMES][STATES];
    const int state = get_local_id(0), slot = get_local_id(1), frame = get_global_id(1);

    const uint window = (uint)(state >> 5) << 6 | (uint)(state << 1 & 63);
    const int first = 1 - 2 * parity(window & 0171), second = 1 - 2 * parity(window & 0133);

    soft += frame * length;
    decisions += frame * length * STATES;
    metric[0][slot][state] = state == 0 ? 0 : -100000;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int t = 0; t < length; ++t) {
        const char2 seen = soft[t];
        /* both generators take the oldest bit, so that the other way in has the opposite signs */
        const int branch = first * seen.x + second * seen.y;
        const int even = metric[t & 1][slot][state << 1 & 63] + branch;
        const int odd = metric[t & 1][slot][(state << 1 & 63) | 1] - branch;

        decisions[t * STATES + state] = odd > even;
        metric[~t & 1][slot][state] = max(even, odd);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }

    if (state == 0) {
        uint at = 0, word = 0;
        for (int t = length - 1; t >= 0; --t) {
            word = word << 1 | at >> 5;
            at = (at << 1 & 63) | decisions[t * STATES + at];
            if ((t & 31) == 0) {
                bits[(frame * length + t) / 32] = word;
                word = 0;
            }
        }
    }
}
