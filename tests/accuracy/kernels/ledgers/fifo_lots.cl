// SPDX-License-Identifier: Apache-2.0
// Cost of what was sold, first in first out: an account's trades in order of time, purchases as lots in a ring, which
// sales use up from the oldest on. Gains are split by how long the lot was held. A ring that is full has its two oldest
// lots made one, at their mean cost; what is sold without a lot left is counted.

#define LOTS 16
#define LONG_TERM_DAYS 365

typedef struct {
    short quantity;   // sold where negative
    ushort price;     // cents
    ushort day;       // since the last trade, in the lower six bits
    ushort fee;       // cents, in the lower eight
} trade_t;

typedef struct {
    int quantity;
    int day;
    long cost;
} lot_t;

typedef struct {
    long short_term, long_term, basis;
    int held, uncovered;
} result_t;

__kernel void fifo_lots(__global const int *first_trade, __global const trade_t *trades, __global result_t *results,
                        const int accounts)
{
    const int account = get_global_id(0);
    if (account >= accounts)
        return;

    lot_t ring[LOTS];
    int oldest = 0, lots = 0, today = 0;
    result_t r = {0, 0, 0, 0, 0};

    for (int t = first_trade[account]; t < first_trade[account + 1]; t++) {
        const trade_t trade = trades[t];
        today += trade.day & 63;
        const long fee = trade.fee & 255;

        if (trade.quantity > 0) {
            if (lots == LOTS) {
                const int second = (oldest + 1) % LOTS;
                ring[second].quantity += ring[oldest].quantity;
                ring[second].cost += ring[oldest].cost;
                oldest = second;
                lots--;
            }
            const int at = (oldest + lots) % LOTS;
            ring[at].quantity = trade.quantity;
            ring[at].day = today;
            ring[at].cost = (long)trade.quantity * trade.price + fee;
            lots++;
            continue;
        }

        int left = -(int)trade.quantity;
        r.short_term -= fee;
        while (left > 0 && lots > 0) {
            const lot_t lot = ring[oldest];
            const int used = min(left, lot.quantity);
            // The last share of a lot takes what is left of its cost, so that no cent is lost.
            const long cost = used == lot.quantity ? lot.cost : lot.cost * used / lot.quantity;
            const long gain = (long)used * trade.price - cost;
            if (today - lot.day > LONG_TERM_DAYS)
                r.long_term += gain;
            else
                r.short_term += gain;
            left -= used;
            if (used == lot.quantity) {
                oldest = (oldest + 1) % LOTS;
                lots--;
            } else {
                ring[oldest].quantity -= used;
                ring[oldest].cost -= cost;
            }
        }
        r.uncovered += left;
    }

    for (int k = 0; k < lots; k++) {
        r.held += ring[(oldest + k) % LOTS].quantity;
        r.basis += ring[(oldest + k) % LOTS].cost;
    }
    results[account] = r;
}
