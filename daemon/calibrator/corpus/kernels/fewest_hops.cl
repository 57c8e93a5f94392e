/* SPDX-License-Identifier: Apache-2.0 */
/* a vertex takes what is nearest among its eight neighbours by list */
kernel void fewest_hops(global const int *neighbour, global const int *hops, global int *out)
{
	int vertex = get_global_id(0), least = hops[vertex];

	for (int k = 0; k < 8; k++)
		least = min(least, hops[neighbour[8 * vertex + k]] + 1);
	out[vertex] = least;
}
