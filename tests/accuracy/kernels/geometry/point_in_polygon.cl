/* SPDX-License-Identifier: Apache-2.0 */
/* Whether points lie in a polygon: how often a ray to the right crosses its sides. */
kernel void point_in_polygon(global const float2 *point, global const float2 *corner, global uchar *inside, int points,
                             int corners)
{
	int i = get_global_id(0);
	if (i >= points)
		return;

	float2 p = point[i];
	bool odd = false;
	for (int k = 0, before = corners - 1; k < corners; before = k++) {
		float2 a = corner[k], b = corner[before];
		if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
			odd = !odd;
	}
	inside[i] = odd;
}
