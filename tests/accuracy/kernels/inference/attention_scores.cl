/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of attention, queries times keys over the root of their length, by tiles in local memory; no query sees
 * what comes after it. */
#define DEPTH 64
#define STEP 16

__kernel void attention_scores(__global const float *query, __global const float *key, __global float *score,
                               int keys)
{
	__local float q[TILE_Y][STEP + 1];
	__local float k[TILE_X][STEP + 1];
	const int x = get_local_id(0), y = get_local_id(1);
	const int column = get_global_id(0), row = get_global_id(1);
	const int flat = y * TILE_X + x;
	const int first_key = get_group_id(0) * TILE_X, first_query = get_group_id(1) * TILE_Y;

	if (first_key > first_query + TILE_Y - 1) {
		score[row * keys + column] = -INFINITY;
		return;
	}
	float sum = 0.0f;
	for (int start = 0; start < DEPTH; start += STEP) {
		for (int i = flat; i < TILE_Y * STEP; i += TILE_X * TILE_Y)
			q[i / STEP][i % STEP] = query[(first_query + i / STEP) * DEPTH + start + i % STEP];
		for (int i = flat; i < TILE_X * STEP; i += TILE_X * TILE_Y)
			k[i / STEP][i % STEP] = key[(first_key + i / STEP) * DEPTH + start + i % STEP];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < STEP; i++)
			sum += q[y][i] * k[x][i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	score[row * keys + column] = column > row ? -INFINITY : sum * 0.125f;
}
