/* SPDX-License-Identifier: Apache-2.0 */
/* A connectivity map: scores of random gene signatures against one reference profile. A random number is a gene by
   its whole part and up or down regulation by its fraction. */
__kernel void random_connections(__global const float *randoms, __global const int *ranks, __global float *score,
                                 const int genes, const int signature, const float highest, const int count)
{
    const int i = get_global_id(0);

    if (i < count) {
        int sum = 0;
        for (int n = 0; n < signature; n++) {
            const float draw = randoms[i * signature + n] * genes;
            const int gene = min((int)draw, genes - 1);
            sum += draw - gene >= 0.5f ? ranks[gene] : -ranks[gene];
        }
        score[i] = sum / highest;
    }
}
