/* SPDX-License-Identifier: Apache-2.0 */
/* The K best of each row of scores, best first; of equals the earlier. A work-item takes a row. */
#define K 8

struct best {
	float score[K];
	int index[K];
};

static void insert(struct best *top, float score, int index)
{
	int at = K - 1;

	for (; at > 0 && top->score[at - 1] < score; at--) {
		top->score[at] = top->score[at - 1];
		top->index[at] = top->index[at - 1];
	}
	top->score[at] = score;
	top->index[at] = index;
}

__kernel void topk_rows(__global const float *scores, int rows, int columns, __global float *values,
			__global int *indices)
{
	int row = get_global_id(0);
	struct best top;

	if (row >= rows)
		return;
	for (int k = 0; k < K; k++) {
		top.score[k] = -INFINITY;
		top.index[k] = -1;
	}
	for (int c = 0; c < columns; c++) {
		float s = scores[row * columns + c];
		if (s > top.score[K - 1])
			insert(&top, s, c);
	}
	for (int k = 0; k < K; k++) {
		values[row * K + k] = top.score[k];
		indices[row * K + k] = top.index[k];
	}
}
