/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix transposed through a padded tile in local memory: both sides coalesced. */
// launch: global=2048,2048 local=16,16 args=buffer:16M:r,buffer:16M:w,int:2048,int:2048
// expect: kernel transpose_tiled
// expect: accesses 4
// expect: load in coalesced
// expect: store tile local
// expect: load tile local
// expect: store out coalesced
// expect: segments in 4
// expect: segments out 4
// expect: barriers 1
// expect: local_bytes 1088
#define TILE 16

kernel void transpose_tiled(global const float *in, global float *out, int width, int height)
{
	local float tile[TILE][TILE + 1];
	int lx = get_local_id(0);
	int ly = get_local_id(1);
	int left = get_group_id(0) * TILE;
	int top = get_group_id(1) * TILE;

	tile[ly][lx] = in[(top + ly) * width + left + lx];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(left + ly) * height + top + lx] = tile[lx][ly];
}
