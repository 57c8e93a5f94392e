/* SPDX-License-Identifier: Apache-2.0 */
/* Last pass of inverse number theoretic transforms of 65536 elements modulo 2^64 - 2^32 + 1: transforms of sixteen,
   each by two work-items that hold eight elements, whose roots of unity are powers of two and so shifts. What
   comes out is scaled and brought below another prime. */
#define PRIME 0xFFFFFFFF00000001UL
#define LOW 0xFFFFFFFFUL
#define SCALE 0xFFFEFFFF00010001UL /* 1 / 65536 */

ulong sum_mod(const ulong a, const ulong b)
{
    const ulong sum = a + b;
    const ulong reduced = sum < a ? sum + LOW : sum;
    return reduced >= PRIME ? reduced - PRIME : reduced;
}

ulong difference_mod(const ulong a, const ulong b)
{
    return a >= b ? a - b : a - b + PRIME;
}

/* low + high * 2^64 */
ulong reduce(const ulong low, const ulong high)
{
    const ulong top = high >> 32;
    const ulong middle = high & LOW;
    ulong r = low - top;
    if (low < top)
        r -= LOW;
    return sum_mod(r, (middle << 32) - middle);
}

/* x * 2^bits, bits below 96 */
ulong shift_up(const ulong x, const int bits)
{
    if (bits == 0)
        return x;
    if (bits < 64)
        return reduce(x << bits, x >> (64 - bits));
    const int more = bits - 64;
    const ulong high = more == 0 ? x : x << more;
    const ulong over = more == 0 ? 0 : x >> (64 - more);
    /* over * 2^128 is -over * 2^32 */
    return difference_mod(reduce(0, high), reduce(over << 32, over >> 32));
}

/* x * 2^bits, bits below 192: 2^96 is -1 */
ulong shift_mod(const ulong x, const int bits)
{
    return bits < 96 ? shift_up(x, bits) : difference_mod(0, shift_up(x, bits - 96));
}

void intt_eight(ulong *x)
{
    ulong y[8];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        y[k] = sum_mod(x[k], x[k + 4]);
        y[k + 4] = shift_mod(difference_mod(x[k], x[k + 4]), (192 - 24 * k) % 192);
    }
#pragma unroll
    for (int k = 0; k < 8; k += 4) {
        x[k] = sum_mod(y[k], y[k + 2]);
        x[k + 1] = sum_mod(y[k + 1], y[k + 3]);
        x[k + 2] = difference_mod(y[k], y[k + 2]);
        x[k + 3] = shift_mod(difference_mod(y[k + 1], y[k + 3]), 144);
    }
    y[0] = sum_mod(x[0], x[1]);
    y[4] = difference_mod(x[0], x[1]);
    y[2] = sum_mod(x[2], x[3]);
    y[6] = difference_mod(x[2], x[3]);
    y[1] = sum_mod(x[4], x[5]);
    y[5] = difference_mod(x[4], x[5]);
    y[3] = sum_mod(x[6], x[7]);
    y[7] = difference_mod(x[6], x[7]);
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = y[k];
}

__kernel void intt_sixteen(__global uint *out, __global const ulong *in, const uint prime)
{
    __local ulong buffer[8 * ITEMS];
    const int lid = get_local_id(0);
    const int odd = lid & 1;
    const int first = get_group_id(0) * 8 * ITEMS + 16 * (lid / 2);
    __local ulong *pair = buffer + 16 * (lid / 2);
    ulong x[8];

#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = in[first + 2 * k + odd];
    intt_eight(x);
#pragma unroll
    for (int k = 0; k < 8; k++)
        pair[8 * odd + k] = odd && k > 0 ? shift_mod(x[k], 192 - 12 * k) : x[k];
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int k = 0; k < 4; k++) {
        const ulong a = pair[4 * odd + k], b = pair[8 + 4 * odd + k];
        const ulong low = sum_mod(a, b);
        const ulong high = difference_mod(a, b);
        out[first + 4 * odd + k] = reduce(low * SCALE, mul_hi(low, SCALE)) % prime;
        out[first + 8 + 4 * odd + k] = reduce(high * SCALE, mul_hi(high, SCALE)) % prime;
    }
}
