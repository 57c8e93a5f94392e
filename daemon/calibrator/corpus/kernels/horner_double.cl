/* SPDX-License-Identifier: Apache-2.0 */
kernel void horner_double(global const double *x, global double *y)
{
	size_t i = get_global_id(0);
	double at = x[i], sum = 1;

	for (int k = 20; k > 0; k--)
		sum = sum * at / k + 1;
	y[i] = sum;
}
