/* SPDX-License-Identifier: Apache-2.0 */
/* The wave equation in three dimensions, fourth order in space: work-groups march along z, planes in local
 * memory, a column in registers. Arrays have two cells more at each side. */
#define HALO 2
#define C0 (-2.5f)
#define C1 (4.0f / 3.0f)
#define C2 (-1.0f / 12.0f)

kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void
acoustic_march(global const float *restrict now, global float *restrict next, global const float *restrict speed,
               int nx, int ny, int nz)
{
	local float plane[BLOCK_Y + 2 * HALO][BLOCK_X + 2 * HALO];
	const int row = nx + 2 * HALO, layer = row * (ny + 2 * HALO);
	const int tx = get_local_id(0) + HALO, ty = get_local_id(1) + HALO;
	int at = (get_global_id(1) + HALO) * row + get_global_id(0) + HALO;
	float below2, below1 = now[at], here = now[at + layer], above1 = now[at + 2 * layer],
	      above2 = now[at + 3 * layer];

	at += layer;
	for (int z = 0; z < nz; z++) {
		at += layer;
		below2 = below1;
		below1 = here;
		here = above1;
		above1 = above2;
		above2 = now[at + 2 * layer];
		barrier(CLK_LOCAL_MEM_FENCE);
		plane[ty][tx] = here;
		if (tx < 2 * HALO) {
			plane[ty][tx - HALO] = now[at - HALO];
			plane[ty][tx + BLOCK_X] = now[at + BLOCK_X];
		}
		if (ty < 2 * HALO) {
			plane[ty - HALO][tx] = now[at - HALO * row];
			plane[ty + BLOCK_Y][tx] = now[at + BLOCK_Y * row];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		float laplace = 3.0f * C0 * here;
		laplace += C1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] +
		                 below1 + above1);
		laplace += C2 * (plane[ty][tx - 2] + plane[ty][tx + 2] + plane[ty - 2][tx] + plane[ty + 2][tx] +
		                 below2 + above2);
		next[at] = 2.0f * here - next[at] + speed[at] * laplace;
	}
}
