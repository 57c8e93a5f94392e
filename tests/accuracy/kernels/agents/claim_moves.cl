/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving a building: each walker looks for the free cell around it that is nearest to an exit, and claims it. One
 * claim a cell holds; who comes second stays where he is. Cells are numbered by rows, the border is wall
 * (occupied). */
kernel void claim_moves(global const int *walkers, global const float *distance, global const int *occupied,
                        global int *claims, global int *to, int width, int height, int count)
{
	const int id = get_global_id(0);
	if (id >= count)
		return;

	const int cell = walkers[id];
	const int x = cell % width, y = cell / width;
	float least = distance[cell];
	int best = cell;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			const int nx = x + dx, ny = y + dy;
			if ((dx == 0 && dy == 0) || nx < 0 || ny < 0 || nx >= width || ny >= height)
				continue;
			const int n = ny * width + nx;
			if (occupied[n])
				continue;
			/* a step across is longer */
			const float far = distance[n] + (dx != 0 && dy != 0 ? 0.41f : 0.0f);
			if (far < least) {
				least = far;
				best = n;
			}
		}
	if (best != cell && atomic_cmpxchg(&claims[best], 0, id + 1) != 0)
		best = cell;
	to[id] = best;
}
