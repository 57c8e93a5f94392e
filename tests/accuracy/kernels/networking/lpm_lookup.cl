// SPDX-License-Identifier: Apache-2.0
// Longest prefix match on the upper half of IPv6 addresses. The first 16 bits index a root table, each further byte a
// block of 256 entries. Odd entries lead to a block, even ones are next hops.

#define ROOT_BITS 16
#define STRIDE    8

kernel void lpm_lookup(global const ulong *addresses, global const int *root, global const int *blocks,
                       global ushort *next_hop, uint count)
{
    const uint i = get_global_id(0);
    if (i >= count)
        return;

    const ulong ip = addresses[i];
    int shift = 64 - ROOT_BITS;
    int entry = root[ip >> shift];

    while ((entry & 1) && shift > 0) {
        shift -= STRIDE;
        entry = blocks[((entry >> 1) << STRIDE) | (int)((ip >> shift) & 0xff)];
    }
    next_hop[i] = (ushort)(entry >> 1);
}
