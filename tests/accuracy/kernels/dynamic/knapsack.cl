/* SPDX-License-Identifier: Apache-2.0 */
/* One item of the knapsack problem over all capacities. */
kernel void knapsack(global const int *before, global int *now, int weight, int value, int capacity)
{
	int c = get_global_id(0);

	if (c > capacity)
		return;
	int without = before[c];
	now[c] = c >= weight ? max(without, before[c - weight] + value) : without;
}
