/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of places on a map to a target. */
kernel void nearest_distance(global const float2 *place, global float *distance, float latitude,
                             float longitude, int count)
{
	int i = get_global_id(0);

	if (i < count) {
		float dx = latitude - place[i].x, dy = longitude - place[i].y;
		distance[i] = sqrt(dx * dx + dy * dy);
	}
}
