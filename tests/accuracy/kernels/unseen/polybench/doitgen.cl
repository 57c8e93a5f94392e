/* SPDX-License-Identifier: Apache-2.0 */
/* Multiresolution analysis: layer r of a tensor times a matrix. The host launches it for one layer after another.
 * After PolyBench. */
kernel void doitgen(global const float *a, global const float *c4, global float *sum, int r, int nq,
                    int np)
{
	int p = get_global_id(0);
	int q = get_global_id(1);

	if (p < np && q < nq) {
		sum[r * (nq * np) + q * np + p] = 0.0f;
		for (int s = 0; s < np; s++)
			sum[r * (nq * np) + q * np + p] +=
			        a[r * (nq * np) + q * np + s] * c4[s * np + p];
	}
}
