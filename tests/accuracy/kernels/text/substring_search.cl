/* SPDX-License-Identifier: Apache-2.0 */
/* Where a word occurs in a text, letters of either case: places in any order. */
uchar lower(uchar letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
}

__kernel void substring_search(__global const uchar *text, __constant uchar *word, __global uint *places,
                               __global uint *found, uint text_length, uint word_length, uint places_max)
{
	uint at = get_global_id(0);
	uint k = 0;

	if (at + word_length > text_length)
		return;
	while (k < word_length && lower(text[at + k]) == word[k])
		k++;
	if (k == word_length) {
		uint slot = atomic_inc(found);
		if (slot < places_max)
			places[slot] = at;
	}
}
