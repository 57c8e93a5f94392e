/* SPDX-License-Identifier: Apache-2.0 */
kernel void common_divisors(global const int *a, global const int *b, global int *out)
{
	int i = get_global_id(0), x = a[i] + 1, y = b[i] + 1;

	while (y != 0) {
		int rest = x % y;
		x = y;
		y = rest;
	}
	out[i] = x;
}
