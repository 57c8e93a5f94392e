// SPDX-License-Identifier: Apache-2.0
//
// Single rate three colour marker (RFC 2697), colour-blind. Every flow has its packets in order of arrival: ticks since
// the one before, and length in bytes. Tokens are kept in 1/256 bytes.

enum { GREEN, YELLOW, RED };

__kernel void token_bucket(__global const int* first, __global const ushort2* packets, __global const uint* rate,
                           __global uchar* colour, __global int* dropped, ulong burst_committed, ulong burst_excess,
                           int flows)
{
    const int flow = get_global_id(0);
    if (flow >= flows) return;

    ulong committed = burst_committed << 8;
    ulong excess = burst_excess << 8;
    const ulong per_tick = (rate[flow] & 1023u) + 1;
    int red = 0;

    for (int p = first[flow], end = first[flow + 1]; p != end; ++p) {
        const ushort2 packet = packets[p];
        const ulong need = (ulong)packet.y << 8;

        committed += per_tick * packet.x;
        if (committed > burst_committed << 8) {
            excess = min(excess + (committed - (burst_committed << 8)), burst_excess << 8);
            committed = burst_committed << 8;
        }
        if (committed >= need) {
            committed -= need;
            colour[p] = GREEN;
        } else if (excess >= need) {
            excess -= need;
            colour[p] = YELLOW;
        } else {
            colour[p] = RED;
            ++red;
        }
    }
    dropped[flow] = red;
}
