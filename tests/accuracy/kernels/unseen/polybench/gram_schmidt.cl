/* SPDX-License-Identifier: Apache-2.0 */
/* One step of the modified Gram-Schmidt process: what the columns behind column k have of its direction is taken
 * out, a column a work-item. After PolyBench/GPU. */
kernel void gram_schmidt(global float *a, global float *r, global const float *q, int k, int rows,
                         int columns)
{
	int j = get_global_id(0);

	if (j > k && j < columns) {
		r[k * columns + j] = 0.0f;
		for (int i = 0; i < rows; i++)
			r[k * columns + j] += q[i * columns + k] * a[i * columns + j];
		for (int i = 0; i < rows; i++)
			a[i * columns + j] -= q[i * columns + k] * r[k * columns + j];
	}
}
