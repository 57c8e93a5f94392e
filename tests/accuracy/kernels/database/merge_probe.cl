/* SPDX-License-Identifier: Apache-2.0 */
/* The range of each left key among sorted right keys, by two binary searches. */
int first_not_below(global const int *keys, int count, int key)
{
	int low = 0, high = count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

kernel void merge_probe(global const int *left, global const int *right, global int *from, global int *many,
                        int lefts, int rights)
{
	int i = get_global_id(0);

	if (i < lefts) {
		int key = left[i];
		int start = first_not_below(right, rights, key);
		from[i] = start;
		many[i] = first_not_below(right, rights, key + 1) - start;
	}
}
