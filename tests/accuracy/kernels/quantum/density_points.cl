// SPDX-License-Identifier: Apache-2.0
// Electron density on the points of an integration grid. Shells are s or p (one or three functions) of a few
// Gaussians each; those further away than their reach (w) add nothing. A point's values of all functions stay with
// it, and meet the density matrix, which is symmetric.

#define FUNCTIONS 36

enum { S_SHELL, P_SHELL };

__kernel void density_points(__global const float4 *points, __constant float4 *centre, __constant int *kind,
                             __constant int *start, const int shells, __constant float2 *primitives,
                             __global const float *density, const int functions, __global float *rho, const int count)
{
    const int gid = get_global_id(0);
    if (gid >= count)
        return;

    const float4 at = points[gid];
    float phi[FUNCTIONS];
    for (int f = 0; f < FUNCTIONS; ++f)
        phi[f] = 0.0f;

    int f = 0;
    for (int s = 0; s < shells; ++s) {
        const float x = at.x - centre[s].x, y = at.y - centre[s].y, z = at.z - centre[s].z;
        const float r2 = x * x + y * y + z * z;
        const bool is_near = r2 < centre[s].w * centre[s].w;

        float radial = 0.0f;
        if (is_near)
            for (int p = start[s]; p < start[s + 1]; ++p)
                radial += primitives[p].y * exp(-primitives[p].x * r2);

        if (kind[s] == S_SHELL) {
            phi[f++] = radial;
        } else {
            phi[f++] = radial * x;
            phi[f++] = radial * y;
            phi[f++] = radial * z;
        }
    }

    float sum = 0.0f;
    for (int row = 0; row < functions; ++row) {
        float inner = 0.0f;
        for (int column = 0; column < row; ++column)
            inner += density[row * functions + column] * phi[column];
        sum += phi[row] * (2.0f * inner + density[row * functions + row] * phi[row]);
    }
    rho[gid] = sum;
}
