/* SPDX-License-Identifier: Apache-2.0 */
/* One level of a breadth-first search over compressed adjacency lists. */
// launch: global=16384 local=64 args=buffer:65540:r,buffer:512K:r:0..16383,buffer:64K:rw,buffer:4:rw,int:3
// expect: kernel bfs_step
// expect: argument levels buffer int
// expect: segments levels 4
// expect: barriers 0
// expect: trips 18 8
// expect: executions neighbours 0.2404
// expect: data_dependent
kernel void bfs_step(global const int *first, global const int *neighbours, global int *levels,
                     global int *is_changed, int level)
{
	int node = get_global_id(0);

	if (levels[node] != level)
		return;
	for (int k = first[node]; k < first[node + 1]; k++) {
		int other = neighbours[k];

		if (levels[other] < 0) {
			levels[other] = level + 1;
			*is_changed = 1;
		}
	}
}
