/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest of `clusters` centres to each point, features laid out across points. */
kernel void kmeans_assign(global const float *feature, global const float *centre, global int *member,
                          int points, int clusters, int features)
{
	int point = get_global_id(0);
	int best = 0;
	float least = FLT_MAX;

	if (point >= points)
		return;
	for (int c = 0; c < clusters; c++) {
		float distance = 0.0f;
		for (int f = 0; f < features; f++) {
			float difference = feature[f * points + point] - centre[c * features + f];
			distance += difference * difference;
		}
		if (distance < least) {
			least = distance;
			best = c;
		}
	}
	member[point] = best;
}
