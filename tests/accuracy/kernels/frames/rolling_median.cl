// SPDX-License-Identifier: Apache-2.0
// df.rolling(9, min_periods=3).median() of a nullable int16 column; validity is a bitmap, the lowest bit first.
// Of an even count the lower of the two in the middle is taken.

#define WINDOW 9
#define MIN_PERIODS 3
#define NULL_VALUE ((short)-32768)

__kernel void rolling_median(__global const short* column, __global const uint* validity, __global short* median,
                             const int rows)
{
    const int row = get_global_id(0);
    if (row >= rows) return;

    short sorted[WINDOW];
    int count = 0;

    for (int i = max(row - WINDOW + 1, 0); i <= row; ++i) {
        if (((validity[i >> 5] >> (i & 31)) & 1u) == 0) continue;

        const short value = column[i];
        int hole = count++;
        while (hole > 0 && sorted[hole - 1] > value) {
            sorted[hole] = sorted[hole - 1];
            --hole;
        }
        sorted[hole] = value;
    }

    median[row] = count < MIN_PERIODS ? NULL_VALUE : sorted[(count - 1) / 2];
}
