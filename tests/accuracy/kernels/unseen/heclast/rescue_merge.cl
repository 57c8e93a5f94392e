/* SPDX-License-Identifier: Apache-2.0 */
/* A level of a Merkle tree by the Rescue-Prime permutation over the field of 2^64 - 2^32 + 1 elements: a work-item
   joins two digests of four elements. A state of twelve elements is three vectors. */
#define ROUNDS 7
#define MODULUS 0xFFFFFFFF00000001UL
#define LOW 0xFFFFFFFFUL

ulong4 field_multiply(const ulong4 a, const ulong4 b)
{
    const ulong4 low = a * b;
    const ulong4 high = mul_hi(a, b);
    const ulong4 middle = high & LOW;
    const ulong4 top = high >> 32;

    ulong4 r = low - top;
    r -= select((ulong4)(0), (ulong4)(LOW), low < top);
    const ulong4 add = (middle << 32) - middle;
    const ulong4 sum = r + add;
    return sum + select((ulong4)(0), (ulong4)(LOW), sum < r);
}

ulong4 field_add(const ulong4 a, const ulong4 b)
{
    const ulong4 reduced = b - select((ulong4)(0), (ulong4)(MODULUS), b >= MODULUS);
    const ulong4 sum = a + reduced;
    const ulong4 again = sum + select((ulong4)(0), (ulong4)(LOW), sum < a);
    return again + select((ulong4)(0), (ulong4)(LOW), again < sum);
}

/* base^(2^squarings) * tail */
ulong4 raise(const ulong4 base, const ulong4 tail, const int squarings)
{
    ulong4 r = base;
    for (int k = 0; k < squarings; k++)
        r = field_multiply(r, r);
    return field_multiply(r, tail);
}

void power7(ulong4 *state)
{
    for (int k = 0; k < 3; k++) {
        const ulong4 x = state[k];
        const ulong4 x2 = field_multiply(x, x);
        const ulong4 x4 = field_multiply(x2, x2);
        state[k] = field_multiply(x4, field_multiply(x2, x));
    }
}

/* x^10540996611094048183, the seventh root */
void root7(ulong4 *state)
{
    for (int k = 0; k < 3; k++) {
        const ulong4 x = state[k];
        const ulong4 t1 = field_multiply(x, x);
        const ulong4 t2 = field_multiply(t1, t1);
        const ulong4 t3 = raise(t2, t2, 3);
        const ulong4 t4 = raise(t3, t3, 6);
        const ulong4 t5 = raise(t4, t4, 12);
        const ulong4 t6 = raise(t5, t3, 6);
        const ulong4 t7 = raise(t6, t6, 31);
        ulong4 a = field_multiply(field_multiply(t7, t7), t6);
        a = field_multiply(a, a);
        a = field_multiply(a, a);
        state[k] = field_multiply(a, field_multiply(field_multiply(t1, t2), x));
    }
}

ulong row_sum(const ulong4 *state, __global const ulong4 *row)
{
    ulong4 sum = field_multiply(state[0], row[0]);
    sum = field_add(sum, field_multiply(state[1], row[1]));
    sum = field_add(sum, field_multiply(state[2], row[2]));
    const ulong4 pairs = field_add(sum, sum.zwxy);
    return field_add(pairs, pairs.yxwz).x;
}

void mix(ulong4 *state, __global const ulong4 *matrix, __global const ulong4 *constants)
{
    ulong4 mixed[3];
    for (int k = 0; k < 3; k++)
        mixed[k] = (ulong4)(row_sum(state, matrix + 12 * k), row_sum(state, matrix + 12 * k + 3),
                            row_sum(state, matrix + 12 * k + 6), row_sum(state, matrix + 12 * k + 9));
    for (int k = 0; k < 3; k++)
        state[k] = field_add(mixed[k], constants[k]);
}

__kernel void rescue_merge(__global const ulong4 *children, __global ulong4 *parents, __global const ulong4 *matrix,
                           __global const ulong4 *constants1, __global const ulong4 *constants2)
{
    const int i = get_global_id(0);
    ulong4 state[3] = {children[2 * i], children[2 * i + 1], (ulong4)(0, 0, 0, 8)};

    for (int round = 0; round < ROUNDS; round++) {
        power7(state);
        mix(state, matrix, constants1 + 3 * round);
        root7(state);
        mix(state, matrix, constants2 + 3 * round);
    }
    parents[i] = state[0];
}
