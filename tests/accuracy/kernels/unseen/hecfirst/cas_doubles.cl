/* SPDX-License-Identifier: Apache-2.0 */
/* The least, the greatest and the sum of doubles, by compare and swap of 64 bits: all items at the same places. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

void least_double(volatile __global ulong *at, double value)
{
    ulong seen = *at;

    while (value < as_double(seen)) {
        const ulong old = seen;
        seen = atom_cmpxchg(at, old, as_ulong(value));
        if (seen == old)
            break;
    }
}

void greatest_double(volatile __global ulong *at, double value)
{
    ulong seen = *at;

    while (value > as_double(seen)) {
        const ulong old = seen;
        seen = atom_cmpxchg(at, old, as_ulong(value));
        if (seen == old)
            break;
    }
}

void add_double(volatile __global ulong *at, double value)
{
    ulong seen = *at, old;

    do {
        old = seen;
        seen = atom_cmpxchg(at, old, as_ulong(value + as_double(old)));
    } while (seen != old);
}

__kernel void cas_doubles(volatile __global ulong *result)
{
    const int i = get_global_id(0);

    least_double(result, i + 1);
    greatest_double(result + 1, i + 1);
    add_double(result + 2, i + 1);
}
