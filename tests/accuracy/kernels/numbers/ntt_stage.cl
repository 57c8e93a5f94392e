/* SPDX-License-Identifier: Apache-2.0 */
/* One stage of a number theoretic transform modulo 998244353, decimation in time: `batch` transforms of `length` words
   side by side, butterflies `half` apart. twiddle[] has length / 2 powers of the root. */
#define P 998244353u

typedef uint u32;
typedef ulong u64;

u32 mulmod(u32 a, u32 b) { return (u32)((u64)a * b % P); }
u32 addmod(u32 a, u32 b) { u32 s = a + b; return s >= P ? s - P : s; }
u32 submod(u32 a, u32 b) { return a >= b ? a - b : a + P - b; }

__kernel void ntt_stage(__global u32 *data, __global const u32 *twiddle, u32 length, u32 half_size)
{
    u32 t = get_global_id(0), batch = get_global_id(1);
    u32 k = t & (half_size - 1);
    u32 low = ((t - k) << 1) + k;
    __global u32 *x = data + batch * length;

    u32 a = x[low];
    u32 b = mulmod(x[low + half_size], twiddle[k * (length / 2 / half_size)]);
    x[low] = addmod(a, b);
    x[low + half_size] = submod(a, b);
}
