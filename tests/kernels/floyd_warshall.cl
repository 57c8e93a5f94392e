/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of Floyd and Warshall's shortest paths over node k. */
// launch: global=1024,1024 local=32,8 args=buffer:4M:rw,int:1024,int:17
// expect: kernel floyd_warshall
// expect: written minmax.int 1
// expect: emitted minmax.int 1
// expect: accesses 4
// expect: segments distance 1
// expect: segments distance 4
// expect: store distance coalesced
// expect: barriers 0
kernel void floyd_warshall(global int *distance, int n, int k)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	distance[i * n + j] = min(distance[i * n + j], distance[i * n + k] + distance[k * n + j]);
}
