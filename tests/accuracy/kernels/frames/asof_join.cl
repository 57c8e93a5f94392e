/* SPDX-License-Identifier: Apache-2.0 */
/* As-of join: to every trade the last quote of its symbol that is not later. Quotes are sorted by symbol and time;
 * a trade's time counts from its symbol's first quote. */

typedef struct trade {
	int symbol;
	int time;
} trade;

/* The first place in [low, high) whose time is later than `when`, or high. */
static int upper_bound(__global const int *times, int low, int high, int when)
{
	while (low < high) {
		int middle = (low + high) / 2;
		if (times[middle] > when)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

__kernel void asof_join(__global const int *trade_symbol, __global const int *trade_time,
			__global const int *symbol_start, __global const int *quote_time,
			__global const float *bid, __global const float *ask, int tolerance,
			__global float *spread, __global int *age)
{
	int i = get_global_id(0);
	trade t = { trade_symbol[i], trade_time[i] };
	int first = symbol_start[t.symbol];
	int last = symbol_start[t.symbol + 1];

	spread[i] = NAN;
	age[i] = -1;
	if (first == last)
		return;

	int when = quote_time[first] + t.time;
	int q = upper_bound(quote_time, first, last, when) - 1;
	if (q >= first && when - quote_time[q] <= tolerance) {
		spread[i] = ask[q] - bid[q];
		age[i] = when - quote_time[q];
	}
}
