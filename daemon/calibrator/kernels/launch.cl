/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a work-item puts its result: one of 1021 places of a work-group. On a
 * CPU (SHARING 6) neighbours in time, which one thread runs, share a place that
 * stays in its cache; threads, which run far apart, do not meet in one.
 */
#define PLACE() ((get_group_id(0) >> SHARING) % 1021 * get_local_size(0) + get_local_id(0))

/* Launches: what a work-group and a work-item cost that do nothing. */

kernel void trivial(global float *out, int never)
{
	if ((int)get_global_id(0) == never)
		out[0] = 1;
}
