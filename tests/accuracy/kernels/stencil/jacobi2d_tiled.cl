/* SPDX-License-Identifier: Apache-2.0 */
/* The same through local memory, with a halo of one; TILE_X and TILE_Y are a work-group's sides. */
kernel void jacobi2d_tiled(global const float *in, global float *out, int n)
{
	local float tile[TILE_Y + 2][TILE_X + 2];
	int lx = get_local_id(0), ly = get_local_id(1);
	int x = get_global_id(0) + 1, y = get_global_id(1) + 1;

	tile[ly + 1][lx + 1] = in[y * n + x];
	if (lx == 0)
		tile[ly + 1][0] = in[y * n + x - 1];
	if (lx == TILE_X - 1)
		tile[ly + 1][TILE_X + 1] = in[y * n + x + 1];
	if (ly == 0)
		tile[0][lx + 1] = in[(y - 1) * n + x];
	if (ly == TILE_Y - 1)
		tile[TILE_Y + 1][lx + 1] = in[(y + 1) * n + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[y * n + x] = 0.2f * (tile[ly + 1][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2] +
	                         tile[ly + 2][lx + 1] + tile[ly][lx + 1]);
}
