/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Earliest arrivals in a timetable (connection scan): a query goes through all connections in the order of their
 * departures, from the first that it can catch until none can improve the arrival at its target. `arrival` has a
 * column per query, and so has `boarded`, a bit for each trip.
 */
#define NEVER 0x7fffffff

typedef struct {
	int from, to;
	int trip;
	int ride;
} connection;

kernel void timetable_scan(global const int *departure, global const connection *connections, int count,
                           global const int2 *query, global const int *leave, int stops, int trip_words,
                           int change, global int *arrival, global uint *boarded, global int *result, int queries)
{
	int q = get_global_id(0);
	if (q >= queries)
		return;

	int2 stop = query[q];
	int begin = leave[q];
	for (int s = 0; s < stops; s++)
		arrival[s * queries + q] = NEVER;
	for (int w = 0; w < trip_words; w++)
		boarded[w * queries + q] = 0;
	arrival[stop.x * queries + q] = begin - change;

	int low = 0, high = count;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (departure[middle] < begin)
			low = middle + 1;
		else
			high = middle;
	}

	int goal = stop.x == stop.y ? begin : NEVER;
	for (int c = low; c < count; c++) {
		int leaves = departure[c];
		if (leaves >= goal)
			break;
		connection at = connections[c];
		global uint *word = &boarded[(at.trip >> 5) * queries + q];
		uint bit = 1u << (at.trip & 31);
		bool is_on = (*word & bit) != 0;
		if (!is_on) {
			int there = arrival[at.from * queries + q];
			if (there == NEVER || there + change > leaves)
				continue;
			*word |= bit;
		}
		int then = leaves + at.ride;
		global int *known = &arrival[at.to * queries + q];
		if (then < *known) {
			*known = then;
			if (at.to == stop.y)
				goal = then;
		}
	}
	result[q] = goal;
}
