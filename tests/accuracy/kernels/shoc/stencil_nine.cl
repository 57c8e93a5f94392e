/* SPDX-License-Identifier: Apache-2.0 */
/* A stencil of nine points: a work-group brings LROWS rows as wide as itself to local memory, with a rim of one, and
 * each work-item makes a column of them. Rows count along dimension 0, and are padded. After SHOC's Stencil2D. */
kernel void stencil_nine(global const float *in, global float *out, int pitch, float centre, float cardinal,
                         float diagonal, local float *tile)
{
	int width = get_local_size(1);
	int span = width + 2;
	int column = get_local_id(1);
	int row0 = get_group_id(0) * LROWS;
	int at = row0 * pitch + get_group_id(1) * width + column + 1;

	for (int i = 0; i < LROWS + 2; i++)
		tile[i * span + column + 1] = in[at + i * pitch];
	if (column == 0)
		for (int i = 0; i < LROWS + 2; i++)
			tile[i * span] = in[at + i * pitch - 1];
	else if (column == width - 1)
		for (int i = 0; i < LROWS + 2; i++)
			tile[i * span + width + 1] = in[at + i * pitch + 1];
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int i = 1; i <= LROWS; i++) {
		int here = i * span + column + 1;
		float sides = tile[here - span] + tile[here + span] + tile[here - 1] + tile[here + 1];
		float corners = tile[here - span - 1] + tile[here - span + 1] + tile[here + span - 1] +
		                tile[here + span + 1];
		out[at + i * pitch] = centre * tile[here] + cardinal * sides + diagonal * corners;
	}
}
