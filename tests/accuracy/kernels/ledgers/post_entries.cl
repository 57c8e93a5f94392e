// SPDX-License-Identifier: Apache-2.0
// Posts a journal of double entries to the accounts' balances of 64 bits. Each is two words, so that no atomics of
// 64 bits are needed: whoever brings the low word to overflow carries. Entries of closed periods or from an account to
// itself are refused. Control totals are added up by work-group first.

typedef struct {
    uint amount;      // minor units
    ushort date;      // days
    uchar period;     // month of the financial year, in the lower four bits
    uchar source;
} entry_t;

#define ACCEPTED 0
#define CLOSED   1
#define TO_SELF  2

void add_64(volatile __global uint *words, uint low, uint high)
{
    const uint was = atomic_add(words, low);
    const uint carry = was + low < was ? 1 : 0;
    if (high + carry)
        atomic_add(words + 1, high + carry);
}

__kernel void post_entries(__global const entry_t *entries, __global const int *debit, __global const int *credit,
                           const uchar closed, volatile __global uint *balances, volatile __global uint *control,
                           __global uchar *verdict, const uint count)
{
    __local uint total[2], refused;
    const uint id = get_global_id(0);
    if (get_local_id(0) == 0)
        total[0] = total[1] = refused = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (id < count) {
        const entry_t e = entries[id];
        const int from = credit[id], to = debit[id];
        uchar what = ACCEPTED;
        if ((e.period & 15) <= closed)
            what = CLOSED;
        else if (from == to)
            what = TO_SELF;

        if (what == ACCEPTED) {
            add_64(balances + 2 * to, e.amount, 0);
            if (e.amount > 0)
                add_64(balances + 2 * from, 0 - e.amount, 0xffffffff);
            const uint was = atomic_add(&total[0], e.amount);
            if (was + e.amount < was)
                atomic_inc(&total[1]);
        } else {
            atomic_inc(&refused);
        }
        verdict[id] = what;
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        add_64(control, total[0], total[1]);
        atomic_add(control + 2, refused);
    }
}
