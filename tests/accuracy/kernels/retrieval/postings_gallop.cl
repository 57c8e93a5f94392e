/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that two words have in common: the rarer word's postings are looked up in the other's, which is sorted.
 * The lookup begins where the document would be if postings were spread evenly, gallops from there until it is
 * enclosed, and halves. */
kernel void postings_gallop(global const int *rare, int rare_count, global const int *common, int common_count, int documents,
                            global int *places, global int *found)
{
	const int i = get_global_id(0);
	if (i >= rare_count)
		return;

	const int document = rare[i];
	int low, high, reach = 8;
	const int guess = (int)((long)document * common_count / documents);
	if (common[guess] <= document) {
		low = guess;
		high = min(low + reach, common_count);
		while (high < common_count && common[high] <= document) {
			low = high;
			reach *= 2;
			high = min(low + reach, common_count);
		}
	} else {
		high = guess;
		low = max(high - reach, 0);
		while (low > 0 && common[low] > document) {
			high = low;
			reach *= 2;
			low = max(high - reach, 0);
		}
	}
	while (high - low > 1) {
		const int middle = (low + high) / 2;
		if (common[middle] <= document)
			low = middle;
		else
			high = middle;
	}
	if (common[low] == document) {
		places[i] = low;
		atomic_inc(found);
	} else {
		places[i] = -1;
	}
}
