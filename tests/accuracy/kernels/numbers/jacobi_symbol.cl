/* SPDX-License-Identifier: Apache-2.0 */
/* The Jacobi symbol (a / n) of 64-bit numbers, n odd, by the binary algorithm. */

#define SWAP(x, y) do { ulong swap_ = (x); (x) = (y); (y) = swap_; } while (0)

static int trailing_zeros(ulong x)
{
    return (int)popcount((x & (0 - x)) - 1);
}

__kernel void jacobi_symbol(__global const ulong2 *pairs, __global char *symbol, __global int *rounds, int count)
{
    int me = get_global_id(0);
    if (me < count) {
        ulong2 pair = pairs[me];
        ulong n = pair.y | 1UL;
        ulong a = pair.x % n;
        int sign = 1, round = 0;

        while (a != 0) {
            int z = trailing_zeros(a);
            a >>= z;
            if ((z & 1) && ((n & 7) == 3 || (n & 7) == 5))
                sign = -sign;
            if (a < n) {
                if ((a & n & 3) == 3)
                    sign = -sign;
                SWAP(a, n);
            }
            a -= n;
            round++;
        }
        symbol[me] = n == 1 ? sign : 0;
        rounds[me] = round;
    }
}
