/* SPDX-License-Identifier: Apache-2.0 */
/* Cahn and Hilliard's equation: the chemical potential of a concentration in a periodic box, in double. */
double laplacian(__global const double *c, double dx, double dy, double dz, int x, int y, int z, int nx, int ny, int nz)
{
    const int right = x + 1 > nx - 1 ? 0 : x + 1, left = x - 1 < 0 ? nx - 1 : x - 1;
    const int behind = y + 1 > ny - 1 ? 0 : y + 1, before = y - 1 < 0 ? ny - 1 : y - 1;
    const int above = z + 1 > nz - 1 ? 0 : z + 1, below = z - 1 < 0 ? nz - 1 : z - 1;
    const double here = c[(z * ny + y) * nx + x];

    const double xx = (c[(z * ny + y) * nx + right] + c[(z * ny + y) * nx + left] - 2.0 * here) / (dx * dx);
    const double yy = (c[(z * ny + behind) * nx + x] + c[(z * ny + before) * nx + x] - 2.0 * here) / (dy * dy);
    const double zz = (c[(above * ny + y) * nx + x] + c[(below * ny + y) * nx + x] - 2.0 * here) / (dz * dz);
    return xx + yy + zz;
}

__kernel void chemical_potential(__global const double *c, __global double *mu, const double dx, const double dy,
                                 const double dz, const double gamma, const double e_aa, const double e_bb,
                                 const double e_ab, const int nx, const int ny, const int nz)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x < nx && y < ny && z < nz) {
        const double at = c[(z * ny + y) * nx + x];
        mu[(z * ny + y) * nx + x] = 4.5 * ((at + 1.0) * e_aa + (at - 1.0) * e_bb - 2.0 * at * e_ab) + 3.0 * at +
                                    at * at * at - gamma * laplacian(c, dx, dy, dz, x, y, z, nx, ny, nz);
    }
}
