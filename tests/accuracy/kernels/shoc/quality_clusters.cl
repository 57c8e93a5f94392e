/* SPDX-License-Identifier: Apache-2.0 */
/* Clustering by a threshold of quality: a work-group grows a cluster around one seed after another, by the point whose
 * greatest distance to those inside is least, until none is within the threshold; it keeps the largest. After SHOC's
 * QTC. */
kernel void quality_clusters(global const float *distance, global const uchar *is_clustered,
                             global uchar *is_out, global float *farthest, global int2 *best, int points,
                             float threshold, local float *least, local int *nearest)
{
	int lid = get_local_id(0), threads = get_local_size(0);
	int group = get_group_id(0), groups = get_num_groups(0);
	int most = 0, most_seed = -1;

	is_out += group * points;
	farthest += group * points;
	for (int seed = group; seed < points; seed += groups) {
		if (is_clustered[seed])
			continue;
		for (int i = lid; i < points; i += threads) {
			is_out[i] = is_clustered[i] || i == seed;
			farthest[i] = 0.0f;
		}

		int count = 1, latest = seed;
		while (latest >= 0) {
			float mine = 2.0f * threshold;
			int winner = -1;
			for (int i = lid; i < points; i += threads) {
				if (is_out[i] || i == latest)
					continue;
				float apart = fmax(farthest[i], distance[latest * points + i]);
				farthest[i] = apart;
				if (apart > threshold) {
					is_out[i] = 1;
				} else if (apart < mine) {
					mine = apart;
					winner = i;
				}
			}
			least[lid] = mine;
			nearest[lid] = winner;
			barrier(CLK_LOCAL_MEM_FENCE);
			for (int half_size = threads / 2; half_size > 0; half_size /= 2) {
				if (lid < half_size && least[lid + half_size] < least[lid]) {
					least[lid] = least[lid + half_size];
					nearest[lid] = nearest[lid + half_size];
				}
				barrier(CLK_LOCAL_MEM_FENCE);
			}
			latest = nearest[0];
			if (latest >= 0) {
				count++;
				if (latest % threads == lid)
					is_out[latest] = 1;
			}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		if (count > most) {
			most = count;
			most_seed = seed;
		}
	}
	if (lid == 0)
		best[group] = (int2)(most, most_seed);
}
