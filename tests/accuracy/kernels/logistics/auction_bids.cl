// SPDX-License-Identifier: Apache-2.0
// A round of Bertsekas' auction for assignment: every job without a vehicle bids for the one that is worth most to it
// at today's prices, by so much that the second best would do as well. The highest bids are found by atomics.

__kernel void auction_bids(__global const uchar *worth, __global const int *prices, __global const int *assigned,
                           const int vehicles, const int scale, const int epsilon, __global int *wish,
                           __global int *bid, __global int *highest, const int jobs)
{
    const int job = get_global_id(0);
    if (job >= jobs)
        return;
    if (assigned[job] > 0) {
        wish[job] = -1;
        return;
    }

    int best = INT_MIN, second = INT_MIN, chosen = 0;
    for (int v = 0; v < vehicles; v += 4) {
        const int4 net = convert_int4(vload4(0, worth + job * vehicles + v)) * scale - vload4(0, prices + v);
        const int each[4] = {net.x, net.y, net.z, net.w};
        for (int k = 0; k < 4; ++k) {
            if (each[k] > best) {
                second = best;
                best = each[k];
                chosen = v + k;
            } else if (each[k] > second) {
                second = each[k];
            }
        }
    }
    const int amount = prices[chosen] + (best - second) + epsilon;
    wish[job] = chosen;
    bid[job] = amount;
    atomic_max(&highest[chosen], amount);
}
