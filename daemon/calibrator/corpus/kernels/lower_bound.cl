/* SPDX-License-Identifier: Apache-2.0 */
kernel void lower_bound(global const int *sorted, global const int *wanted, global int *place,
                        int n)
{
	int value = wanted[get_global_id(0)], low = 0, high = n;

	while (low < high) {
		int middle = (low + high) / 2;
		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	place[get_global_id(0)] = low;
}
