/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a work-item puts its result: one of 1021 places of a work-group. On a
 * CPU neighbours in time, which one thread runs, share a place that stays in its
 * cache: up to 64, and 2 where a launch has so few that threads would meet in one.
 */
#if ON_CPU
#define GROUP()  (get_group_id(1) * get_num_groups(0) + get_group_id(0))
#define SHARED() (get_num_groups(0) * get_num_groups(1) < 256 * UNITS ? 1 : 6)
#else
#define GROUP()  get_group_id(0)
#define SHARED() 0
#endif
#define PLACE() ((GROUP() >> SHARED()) % 1021 * get_local_size(0) + get_local_id(0))

/* Launches: what a work-group and a work-item cost that do nothing. */

kernel void trivial(global float *out, int never)
{
	if ((int)get_global_id(0) == never)
		out[0] = 1;
}
