/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths between all pairs: those through node k. */
kernel void floyd_step(global int *distance, int n, int k)
{
	int j = get_global_id(0);
	int i = get_global_id(1);
	int through = distance[i * n + k] + distance[k * n + j];

	if (through < distance[i * n + j])
		distance[i * n + j] = through;
}
