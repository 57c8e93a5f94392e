/* SPDX-License-Identifier: Apache-2.0 */

/* 3n+1: steps to reach 1, and the peak on the way, for starts first, first + 2, first + 4, ... */
__kernel void collatz_peaks(const ulong first, __global ushort *steps, __global ulong *peaks)
{
  size_t i = get_global_id(0);
  ulong n = first + 2 * i;
  ulong peak = n;
  int count = 0;

  while (n != 1) {
    if (n & 1) {
      n = 3 * n + 1;
      if (n > peak) peak = n;
    } else {
      n >>= 1;
    }
    ++count;
  }
  steps[i] = count;
  peaks[i] = peak;
}
