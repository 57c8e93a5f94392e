// SPDX-License-Identifier: Apache-2.0
// How many eigenvalues of a symmetric tridiagonal matrix lie in each interval, by Sturm sequences.
uint eigenvalues_below(__global const float *diagonal, __global const float *off_diagonal, const uint width,
                       const float x)
{
    uint count = 0;
    float before = diagonal[0] - x;
    count += before < 0.0f ? 1 : 0;
    for (uint i = 1; i < width; i++) {
        const float now = (diagonal[i] - x) - off_diagonal[i - 1] * off_diagonal[i - 1] / before;
        count += now < 0.0f ? 1 : 0;
        before = now;
    }
    return count;
}

__kernel void eigen_count(__global uint *counts, __global const float *intervals, __global const float *diagonal,
                          __global const float *off_diagonal, const uint width)
{
    const uint id = get_global_id(0);
    const float low = intervals[2 * id], high = intervals[2 * id + 1];
    const uint below_low = eigenvalues_below(diagonal, off_diagonal, width, low);
    const uint below_high = eigenvalues_below(diagonal, off_diagonal, width, high);

    counts[id] = below_high - below_low;
}
