/* SPDX-License-Identifier: Apache-2.0 */
/* B = A^T through a padded tile of local memory; TILE is its side. */
kernel void transpose_tiled(global const float *in, global float *out, int width, int height)
{
	local float tile[TILE][TILE + 1];
	int lx = get_local_id(0), ly = get_local_id(1);
	int x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;

	tile[ly][lx] = in[(y + ly) * width + x + lx];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(x + ly) * height + y + lx] = tile[lx][ly];
}
