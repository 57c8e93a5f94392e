/* SPDX-License-Identifier: Apache-2.0 */
/* q = A p of the biconjugate gradients' two products: a row a work-item, summed where it is stored. After
 * PolyBench/GPU. */
kernel void bicg_rows(global const float *a, global const float *p, global float *q, int rows,
                      int columns)
{
	int i = get_global_id(0);

	if (i < rows) {
		q[i] = 0.0f;
		for (int j = 0; j < columns; j++)
			q[i] += a[i * columns + j] * p[j];
	}
}
