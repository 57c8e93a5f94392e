// SPDX-License-Identifier: Apache-2.0
// Electron repulsion integrals (ij|kl) of contracted s functions, PRIMITIVES Gaussians each. A pair of shells is (i,
// j); row and column of the result are pairs. Where the product of the pairs' Schwarz bounds is small the integral is
// taken as zero.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PRIMITIVES 3
#define PAIRS (PRIMITIVES * PRIMITIVES)

struct gaussian_pair {
    double exponent, factor;
    double x, y, z;
};

static double boys(double t)
{
    if (t < 1e-5)
        return 1.0 - t / 3.0 + t * t / 10.0;
    const double root = sqrt(t);
    return 0.88622692545275801 * erf(root) / root;
}

static void make_pair(__global const double *a, __global const double *b, double alpha, double beta, double weight,
                      struct gaussian_pair *pair)
{
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    const double p = alpha + beta, over = 1.0 / p;

    pair->exponent = p;
    pair->factor = weight * exp(-alpha * beta * over * (dx * dx + dy * dy + dz * dz));
    pair->x = (alpha * a[0] + beta * b[0]) * over;
    pair->y = (alpha * a[1] + beta * b[1]) * over;
    pair->z = (alpha * a[2] + beta * b[2]) * over;
}

__kernel void coulomb_ssss(__global const int2 *shells, __global const double *centre, __global const double *exponent,
                           __global const double *weight, __global const float *bound, const float least, const int pairs,
                           __global double *integrals)
{
    const int bra = get_global_id(0), ket = get_global_id(1);
    if (bra >= pairs || ket >= pairs)
        return;
    if (bound[bra] * bound[ket] < least) {
        integrals[ket * pairs + bra] = 0.0;
        return;
    }

    const int2 ij = shells[bra], kl = shells[ket];
    struct gaussian_pair right[PAIRS];
    for (int c = 0; c < PRIMITIVES; ++c)
        for (int d = 0; d < PRIMITIVES; ++d) {
            const int k = PRIMITIVES * kl.x + c, l = PRIMITIVES * kl.y + d;
            make_pair(centre + 3 * kl.x, centre + 3 * kl.y, exponent[k], exponent[l], weight[k] * weight[l],
                      &right[PRIMITIVES * c + d]);
        }

    double sum = 0.0;
    for (int a = 0; a < PRIMITIVES; ++a)
        for (int b = 0; b < PRIMITIVES; ++b) {
            const int i = PRIMITIVES * ij.x + a, j = PRIMITIVES * ij.y + b;
            struct gaussian_pair left;
            make_pair(centre + 3 * ij.x, centre + 3 * ij.y, exponent[i], exponent[j], weight[i] * weight[j], &left);

            for (int r = 0; r < PAIRS; ++r) {
                const double p = left.exponent, q = right[r].exponent;
                const double x = left.x - right[r].x, y = left.y - right[r].y, z = left.z - right[r].z;
                const double both = p + q;
                const double t = p * q / both * (x * x + y * y + z * z);
                sum += left.factor * right[r].factor / (p * q * sqrt(both)) * boys(t);
            }
        }
    integrals[ket * pairs + bra] = 34.986836655249725 * sum; /* 2 pi^(5/2) */
}
