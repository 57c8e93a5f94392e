// SPDX-License-Identifier: Apache-2.0
// One diagonal plane i + j + k = plane of a discrete-ordinates sweep for the first octant, by diamond differences.
// Work-items are (group, i, j); directions are gone through one by one. Fluxes on the three faces of a cell are
// replaced by what goes out of it; one that would be negative is set to zero, and the cell is balanced anew.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MATERIALS 8

__kernel void sweep_plane(__global const uchar *material, __constant double *sigma_t, __global const double *source,
                          __constant double4 *ordinates, const int directions, const double2 per_side,
                          __global double *psi_x, __global double *psi_y, __global double *psi_z,
                          __global double *phi, const int plane, const int side)
{
    const int g = get_global_id(0), groups = get_global_size(0);
    const int i = get_global_id(1), j = get_global_id(2);
    const int k = plane - i - j;
    if (i >= side || j >= side || k < 0 || k >= side)
        return;

    const size_t cell = ((size_t)k * side + j) * side + i;
    const double sigma = sigma_t[(material[cell] % MATERIALS) * groups + g];
    const double q = source[cell * groups + g];
    double sum = 0.0;

    for (int d = 0; d < directions; d++) {
        const double4 o = ordinates[d];
        const double cx = 2.0 * o.x * per_side.x, cy = 2.0 * o.y * per_side.x, cz = 2.0 * o.z * per_side.y;
        const size_t face_x = ((size_t)(k * side + j) * directions + d) * groups + g;
        const size_t face_y = ((size_t)(k * side + i) * directions + d) * groups + g;
        const size_t face_z = ((size_t)(j * side + i) * directions + d) * groups + g;
        const double in_x = psi_x[face_x], in_y = psi_y[face_y], in_z = psi_z[face_z];

        double psi = (q + cx * in_x + cy * in_y + cz * in_z) / (sigma + cx + cy + cz);
        double out_x = 2.0 * psi - in_x, out_y = 2.0 * psi - in_y, out_z = 2.0 * psi - in_z;

        if (out_x < 0.0 || out_y < 0.0 || out_z < 0.0) {
            double keep_x = 1.0, keep_y = 1.0, keep_z = 1.0;
            for (int again = 0; again < 3; again++) {
                if (out_x < 0.0) keep_x = 0.0;
                if (out_y < 0.0) keep_y = 0.0;
                if (out_z < 0.0) keep_z = 0.0;
                psi = (q + 0.5 * (cx * in_x * (1.0 + keep_x) + cy * in_y * (1.0 + keep_y) + cz * in_z * (1.0 + keep_z)))
                    / (sigma + cx * keep_x + cy * keep_y + cz * keep_z);
                out_x = keep_x * (2.0 * psi - in_x);
                out_y = keep_y * (2.0 * psi - in_y);
                out_z = keep_z * (2.0 * psi - in_z);
                if (out_x >= 0.0 && out_y >= 0.0 && out_z >= 0.0) break;
            }
        }
        psi_x[face_x] = out_x;
        psi_y[face_y] = out_y;
        psi_z[face_z] = out_z;
        sum += o.w * psi;
    }
    phi[cell * groups + g] += sum;
}
