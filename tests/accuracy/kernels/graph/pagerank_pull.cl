/* SPDX-License-Identifier: Apache-2.0 */
/* One iteration of PageRank: every node gathers from its incoming edges. */
kernel void pagerank_pull(global const int *start, global const int *source,
                          global const float *rank, global const float *inverse_degree,
                          global float *next, float damping, int nodes)
{
	int node = get_global_id(0);
	float sum = 0.0f;

	if (node >= nodes)
		return;
	for (int k = start[node]; k < start[node + 1]; k++)
		sum += rank[source[k]] * inverse_degree[source[k]];
	next[node] = (1.0f - damping) / (float)nodes + damping * sum;
}
