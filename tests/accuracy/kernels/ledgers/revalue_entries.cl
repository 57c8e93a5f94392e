// SPDX-License-Identifier: Apache-2.0
// Revalues open items in foreign currency at the day's rates: amounts of 48 bits in minor units times a rate in
// millionths, rounded half to even, as 96 bits divided limb by limb. Gains and losses are added up for each work-group
// and side of the ledger by a tree.

#define MILLION 1000000u

typedef struct {
    uint low;
    short high;        // amount = high * 2^32 + low
    uchar currency;    // in the lower five bits
    uchar side;        // odd: payable
} item_t;

long convert(const long amount, const uint rate)
{
    const ulong size = (ulong)(amount < 0 ? -amount : amount);
    const ulong p0 = (size & 0xffffffffUL) * rate;
    const ulong p1 = (size >> 32) * rate + (p0 >> 32);

    ulong rest = p1 >> 32;
    ulong part = (rest % MILLION << 32) | (p1 & 0xffffffffUL);
    const ulong upper = part / MILLION;
    rest = part % MILLION;
    part = (rest << 32) | (p0 & 0xffffffffUL);
    ulong quotient = (upper << 32) + part / MILLION;
    rest = part % MILLION;

    if (2 * rest > MILLION || (2 * rest == MILLION && (quotient & 1)))
        quotient++;
    return amount < 0 ? -(long)quotient : (long)quotient;
}

__kernel void revalue_entries(__global const item_t *items, __constant uint *rates, __global long *booked,
                              __global long2 *change, __global ushort *moved, __local long2 *sums, const int count)
{
    const int id = get_global_id(0), lid = get_local_id(0);
    long2 mine = (long2)(0);
    __local uint different;
    if (lid == 0)
        different = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (id < count) {
        const item_t item = items[id];
        const long amount = ((long)item.high << 32) + item.low;
        const long now = convert(amount, rates[item.currency & 31]);
        const long gain = now - booked[id];
        booked[id] = now;
        if (gain != 0)
            atomic_inc(&different);
        if (item.side & 1)
            mine.y = -gain;
        else
            mine.x = gain;
    }

    sums[lid] = mine;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        change[get_group_id(0)] = sums[0];
        moved[get_group_id(0)] = (ushort)different;
    }
}
