/* SPDX-License-Identifier: Apache-2.0 */
/* The first of 2mm's two products of matrices: an element a work-item, summed where it is stored. After
 * PolyBench/GPU, whose 3mm has three of these. */
kernel void two_products(global const float *a, global const float *b, global float *product, int ni,
                         int nj, int nk)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (i < ni && j < nj) {
		product[i * nj + j] = 0.0f;
		for (int k = 0; k < nk; k++)
			product[i * nj + j] += a[i * nk + k] * b[k * nj + j];
	}
}
