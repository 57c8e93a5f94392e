/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transpose of N x N floats. A work-group turns TILE x TILE of them by way of local memory, whose
 * rows are PADDING apart; a work-item ITEMS of these, one below another, or ROWS as one block.
 */
#define GROUP (TILE / ITEMS)
#if ROWS
#define PLACE(i) (get_local_id(1) * ITEMS + (i))
#else
#define PLACE(i) (get_local_id(1) + (i) * GROUP)
#endif

kernel void transpose(global const float *in, global float *out, int n)
{
	local float tile[TILE * (TILE + PADDING)];
	const int x = get_local_id(0), column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
	for (int i = 0; i < ITEMS; i++)
		tile[PLACE(i) * (TILE + PADDING) + x] = in[(row + PLACE(i)) * n + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < ITEMS; i++)
		out[(column + PLACE(i)) * n + row + x] = tile[x * (TILE + PADDING) + PLACE(i)];
}

kernel void reference(global const float *in, global float *out, int n)
{
	out[get_global_id(0) * n + get_global_id(1)] = in[get_global_id(1) * n + get_global_id(0)];
}
