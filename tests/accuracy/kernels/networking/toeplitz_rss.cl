/* SPDX-License-Identifier: Apache-2.0 */
/* Receive side scaling: the Toeplitz hash of a 5-tuple chooses a queue, and queues count their packets. */

#define QUEUES 16

typedef struct {
    uint src_addr;
    uint dst_addr;
    ushort src_port;
    ushort dst_port;
} tuple_t;

/* Eats one 32 bit field from the top; `window` holds the next 64 bits of the key. */
uint toeplitz_field(uint hash, uint field, ulong window)
{
    for (int bit = 31; bit >= 0; --bit) {
        if ((field >> bit) & 1u)
            hash ^= (uint)(window >> 32);
        window <<= 1;
    }
    return hash;
}

__kernel void toeplitz_rss(__global const tuple_t *tuples,
                           __constant uint *key,
                           __global const int *indirection,
                           __global uint *hashes,
                           __global uchar *queue_of,
                           __global int *queue_count,
                           int n)
{
    __local int counted[QUEUES];
    const int lid = get_local_id(0);

    for (int q = lid; q < QUEUES; q += get_local_size(0))
        counted[q] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const tuple_t t = tuples[i];
        const uint fields[3] = { t.src_addr, t.dst_addr, ((uint)t.src_port << 16) | t.dst_port };
        uint h = 0;

        for (int f = 0; f < 3; ++f)
            h = toeplitz_field(h, fields[f], ((ulong)key[f] << 32) | key[f + 1]);

        const int q = indirection[h & 127];
        hashes[i] = h;
        queue_of[i] = (uchar)q;
        atomic_inc(&counted[q]);
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = lid; q < QUEUES; q += get_local_size(0))
        atomic_add(&queue_count[q], counted[q]);
}
