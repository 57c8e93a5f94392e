/* SPDX-License-Identifier: Apache-2.0 */
/* y += A x in coordinates with integer values, added by atomics. */
kernel void coo_atomic(global const int *row, global const int *column, global const int *value,
                       global const int *x, global int *y, int entries)
{
	int i = get_global_id(0);

	if (i < entries)
		atomic_add(&y[row[i]], value[i] * x[column[i]]);
}
