/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a Bezier surface: an item weighs all control points of its patch, x, y, z, by both blending functions,
   whose binomial coefficients are made again each time. */
float blend_of(int k, float mu, int n)
{
    int nn = n, kn = k, nkn = n - k;
    float blend = 1.0f;

    while (nn >= 1) {
        blend *= nn;
        nn--;
        if (kn > 1) {
            blend /= (float)kn;
            kn--;
        }
        if (nkn > 1) {
            blend /= (float)nkn;
            nkn--;
        }
    }
    if (k > 0)
        blend *= pow(mu, (float)k);
    if (n - k > 0)
        blend *= pow(1 - mu, (float)(n - k));
    return blend;
}

__kernel void bezier_surface(__global const float *in, __global float *out, const int ni, const int nj,
                             const int out_i, const int out_j)
{
    const int i = get_global_id(1), j = get_global_id(0);

    if (i < out_i && j < out_j) {
        const float mui = i / (float)(out_i - 1);
        const float muj = j / (float)(out_j - 1);
        float x = 0.0f, y = 0.0f, z = 0.0f;
        for (int ki = 0; ki <= ni; ki++) {
            const float bi = blend_of(ki, mui, ni);
            for (int kj = 0; kj <= nj; kj++) {
                const float bj = blend_of(kj, muj, nj);
                const int at = 3 * (ki * (nj + 1) + kj);
                x += in[at] * bi * bj;
                y += in[at + 1] * bi * bj;
                z += in[at + 2] * bi * bj;
            }
        }
        out[3 * (i * out_j + j)] = x;
        out[3 * (i * out_j + j) + 1] = y;
        out[3 * (i * out_j + j) + 2] = z;
    }
}
