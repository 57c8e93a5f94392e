/* SPDX-License-Identifier: Apache-2.0 */
/* Bags of words: the mean of the rows of a table that belong to them. */
kernel void embedding_pool(global const float *table, global const int *word, global const int *start,
                           global float *mean, int width)
{
	int feature = get_global_id(0);
	int bag = get_global_id(1);
	int from = start[bag], to = start[bag + 1];
	float sum = 0.0f;

	for (int k = from; k < to; k++)
		sum += table[word[k] * width + feature];
	mean[bag * width + feature] = to > from ? sum / (to - from) : 0.0f;
}
