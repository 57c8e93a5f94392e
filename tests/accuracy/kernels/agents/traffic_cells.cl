/* SPDX-License-Identifier: Apache-2.0 */
/* A step of traffic in cells on a ring road with two lanes (Nagel, Schreckenberg, 1992; Rickert et al., 1996). Each
 * car of a lane accelerates, keeps its distance, dawdles at random and drives; one that is held up says whether
 * there is room beside it. Cars of a lane are sorted by place, and those of both lanes are stored in turn. */
static uint hash(uint x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

kernel void traffic_cells(global const int *place, global const uchar *speed, global int *new_place, global uchar *new_speed,
                          global uchar *wants_over, global uint *moved, int cars, int cells, int fastest, uint dawdle,
                          uint step)
{
	const int car = get_global_id(0), lane = get_global_id(1);
	if (car >= cars)
		return;

	const int here = 2 * car + lane;
	const int at = place[here], ahead = place[car + 1 == cars ? lane : here + 2];
	int gap = ahead - at - 1;
	if (gap < 0)
		gap += cells;

	int v = min((int)speed[here] % 8 + 1, fastest);
	const bool held_up = gap < v;
	v = min(v, gap);
	if (v > 0 && hash(here ^ hash(step)) < dawdle)
		v--;

	bool change = false;
	if (held_up) {
		/* from two cells behind to where it would be */
		global const int *other = place + (lane ^ 1);
		int low = 0, high = cars;
		while (low < high) {
			const int middle = (low + high) >> 1;
			if (other[2 * middle] < at - 2)
				low = middle + 1;
			else
				high = middle;
		}
		change = low == cars || other[2 * low] > at + v + 1;
	}

	const int to = at + v;
	new_place[here] = to >= cells ? to - cells : to;
	new_speed[here] = v;
	wants_over[here] = change;
	if (to >= cells)
		atomic_inc(&moved[lane]);
}
