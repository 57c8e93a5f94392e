/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination, step t: multiples of row t are taken from the rows below and from the right side. The first
   dimension counts rows, the second columns. */
__kernel void eliminate_fan2(__global const float *multipliers, __global float *a, __global float *b, const int size,
                             const int t)
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);

    if (row < size - 1 - t && column < size - t) {
        a[size * (row + 1 + t) + column + t] -= multipliers[size * (row + 1 + t) + t] * a[size * t + column + t];
        if (column == 0)
            b[row + 1 + t] -= multipliers[size * (row + 1 + t) + t] * b[t];
    }
}
