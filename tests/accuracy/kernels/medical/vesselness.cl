// SPDX-License-Identifier: Apache-2.0
// Likeness to a bright tube at each voxel (Frangi et al., 1998): eigenvalues of the matrix of second derivatives, in
// closed form, ordered by size; the two larger have to be negative.

__kernel void vesselness(__global const float *volume, __global float *likeness, const float alpha, const float beta,
                         const float c)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);
    const int here = (z * ny + y) * nx + x, slice = nx * ny;

    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        likeness[here] = 0.0f;
        return;
    }

    __global const float *v = volume + here;
    const float twice = 2.0f * v[0];
    const float xx = v[1] + v[-1] - twice;
    const float yy = v[nx] + v[-nx] - twice;
    const float zz = v[slice] + v[-slice] - twice;
    const float xy = 0.25f * (v[nx + 1] - v[nx - 1] - v[1 - nx] + v[-nx - 1]);
    const float xz = 0.25f * (v[slice + 1] - v[slice - 1] - v[1 - slice] + v[-slice - 1]);
    const float yz = 0.25f * (v[slice + nx] - v[slice - nx] - v[nx - slice] + v[-slice - nx]);

    /* eigenvalues of a symmetric matrix by the cosine of a third of an angle */
    const float mean = (xx + yy + zz) / 3.0f;
    const float a = xx - mean, b = yy - mean, d = zz - mean;
    const float spread = sqrt((a * a + b * b + d * d + 2.0f * (xy * xy + xz * xz + yz * yz)) / 6.0f) + 1e-12f;
    const float determinant = a * (b * d - yz * yz) - xy * (xy * d - yz * xz) + xz * (xy * yz - b * xz);
    const float angle = acos(clamp(0.5f * determinant / (spread * spread * spread), -1.0f, 1.0f)) / 3.0f;
    float l1 = mean + 2.0f * spread * cos(angle);
    float l3 = mean + 2.0f * spread * cos(angle + 2.0943951f);
    float l2 = 3.0f * mean - l1 - l3;

    float swap;
    if (fabs(l1) > fabs(l2)) {
        swap = l1;
        l1 = l2;
        l2 = swap;
    }
    if (fabs(l2) > fabs(l3)) {
        swap = l2;
        l2 = l3;
        l3 = swap;
    }
    if (fabs(l1) > fabs(l2)) {
        swap = l1;
        l1 = l2;
        l2 = swap;
    }

    float result = 0.0f;
    if (l2 < 0.0f && l3 < 0.0f) {
        const float plate = l2 / l3, blob2 = l1 * l1 / (l2 * l3);
        const float structure2 = l1 * l1 + l2 * l2 + l3 * l3;
        result = (1.0f - exp(-plate * plate / (2.0f * alpha * alpha))) * exp(-blob2 / (2.0f * beta * beta)) *
                 (1.0f - exp(-structure2 / (2.0f * c * c)));
    }
    likeness[here] = result;
}
