// SPDX-License-Identifier: Apache-2.0
// Reduces lattices after Selling and Delaunay: of the three edges and minus their sum no two may stand at an acute
// angle. As long as two do, one is turned around and added to the other two. The work ends with the seven shortest
// vectors' least.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void selling_reduce(__global const double *cells, __global double *reduced, __global int *steps,
                             __global double *shortest, const double tolerance, const int steps_max, const int count)
{
    const int id = get_global_id(0);
    if (id >= count) return;

    double b[4][3];
    for (int k = 0; k < 3; k++) {
        b[0][k] = cells[9 * id + k];
        b[1][k] = cells[9 * id + 3 + k];
        b[2][k] = cells[9 * id + 6 + k];
        b[3][k] = -(b[0][k] + b[1][k] + b[2][k]);
    }

    int step = 0;
    for (; step < steps_max; step++) {
        int one = -1, other = -1;
        double most = tolerance;
        for (int i = 0; i < 3; i++) {
            for (int j = i + 1; j < 4; j++) {
                const double p = b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2];
                if (p > most) {
                    most = p;
                    one = i;
                    other = j;
                }
            }
        }
        if (one < 0) break;
        for (int i = 0; i < 4; i++) {
            if (i == one || i == other) continue;
            for (int k = 0; k < 3; k++)
                b[i][k] += b[one][k];
        }
        for (int k = 0; k < 3; k++)
            b[one][k] = -b[one][k];
    }

    // Voronoi vectors: the four and the sums of two.
    double least = INFINITY;
    for (int i = 0; i < 4; i++)
        least = fmin(least, b[i][0] * b[i][0] + b[i][1] * b[i][1] + b[i][2] * b[i][2]);
    for (int i = 1; i < 4; i++) {
        const double x = b[0][0] + b[i][0], y = b[0][1] + b[i][1], z = b[0][2] + b[i][2];
        least = fmin(least, x * x + y * y + z * z);
    }
    for (int k = 0; k < 9; k++)
        reduced[9 * id + k] = b[k / 3][k % 3];
    steps[id] = step;
    shortest[id] = sqrt(least);
}
