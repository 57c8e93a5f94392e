/* SPDX-License-Identifier: Apache-2.0 */
/* Every atomic function on words that all items share, fifty times over; counters that wrap go by compare and swap. */
#define LOOPS 50

void count_up(volatile __global uint *at, uint most)
{
    uint seen = *at, old;

    do {
        old = seen;
        seen = atomic_cmpxchg(at, old, old >= most ? 0 : old + 1);
    } while (seen != old);
}

void count_down(volatile __global uint *at, uint most)
{
    uint seen = *at, old;

    do {
        old = seen;
        seen = atomic_cmpxchg(at, old, old == 0 || old > most ? most : old - 1);
    } while (seen != old);
}

__kernel void system_atomics(volatile __global int *words)
{
    const int tid = get_global_id(0);

    for (int i = 0; i < LOOPS; i++) {
        atomic_add(words, 10);
        atomic_xchg(words + 1, tid);
        atomic_max(words + 2, tid);
        atomic_min(words + 3, tid);
        count_up((volatile __global uint *)words + 4, 17);
        count_down((volatile __global uint *)words + 5, 137);
        atomic_cmpxchg(words + 6, tid - 1, tid);
        atomic_and(words + 7, 2 * tid + 7);
        atomic_or(words + 8, 1 << (tid & 31));
        atomic_xor(words + 9, tid);
    }
}
