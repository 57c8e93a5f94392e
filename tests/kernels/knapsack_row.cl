/* SPDX-License-Identifier: Apache-2.0 */
/* One item of the 0/1 knapsack: the best value for each capacity from the row before. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w,int:512,int:7
// expect: kernel knapsack_row
// expect: argument weight scalar int
// expect: accesses 3
// expect: load before coalesced
// expect: store after coalesced
// expect: segments after 4
// expect: barriers 0
kernel void knapsack_row(global const int *before, global int *after, int weight, int value)
{
	int capacity = get_global_id(0);
	int best = before[capacity];

	if (capacity >= weight)
		best = max(best, before[capacity - weight] + value);
	after[capacity] = best;
}
