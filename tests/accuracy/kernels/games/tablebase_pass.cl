// SPDX-License-Identifier: Apache-2.0
// A pass of retrograde analysis: positions that are still open are won if a move leads to one that is lost for the
// opponent, and lost if all moves lead to won ones (or there is no move). `distance` is in moves; the longer way is
// taken by the loser.

#define OPEN 0
#define WON 1
#define LOST 2
#define DRAWN 3

__kernel void tablebase_pass(__global const int *start, __global const int *successor, __global const uchar *value,
                             __global const uchar *distance_in, __global uchar *value_out, __global uchar *distance_out,
                             __global int *decided, const int positions)
{
    __local int here;
    const int p = get_global_id(0);

    if (get_local_id(0) == 0)
        here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (p < positions) {
        uchar now = value[p] & 3;
        uchar moves = distance_in[p];

        if (now == OPEN) {
            const int from = start[p], to = start[p + 1];
            bool is_lost = true;
            uchar farthest = 0;

            for (int k = from; k < to; ++k) {
                const int next = successor[k];
                const uchar theirs = value[next] & 3;
                if (theirs == LOST) {
                    now = WON;
                    moves = add_sat(distance_in[next], (uchar)1);
                    is_lost = false;
                    break;
                }
                if (theirs != WON)
                    is_lost = false;
                else
                    farthest = max(farthest, distance_in[next]);
            }
            if (is_lost) {
                now = LOST;
                moves = from == to ? (uchar)0 : add_sat(farthest, (uchar)1);
            }
            if (now != OPEN)
                atomic_inc(&here);
        }
        value_out[p] = now;
        distance_out[p] = moves;
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && here > 0)
        atomic_add(decided, here);
}
