/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Residues of an interferogram: the phase between two complex images, and at each pixel the charge of the loop over
 * it and its neighbours to the right, below right and below. Phase unwrapping may not cut between charges. Each phase
 * is found once per work-group, with one column and one row of the neighbours'.
 */
#ifndef TILE_X
#define TILE_X 16
#define TILE_Y 8
#endif
#define HALO_X (TILE_X + 1)
#define HALO_Y (TILE_Y + 1)
#define TWO_PI 6.2831853f

inline float wrapped(float phase)
{
	return phase - TWO_PI * rint(phase / TWO_PI);
}

kernel void insar_residues(global const float2 *master, global const float2 *slave, int width, int height,
                           global float *phase, global char *charge, global uint *charges)
{
	local float tile[HALO_Y][HALO_X];
	local uint tally[2];
	int x0 = get_group_id(0) * TILE_X, y0 = get_group_id(1) * TILE_Y;
	int lid = get_local_id(1) * TILE_X + get_local_id(0);

	if (lid < 2)
		tally[lid] = 0;
	for (int k = lid; k < HALO_X * HALO_Y; k += TILE_X * TILE_Y) {
		int x = min(x0 + k % HALO_X, width - 1), y = min(y0 + k / HALO_X, height - 1);
		float2 a = master[y * width + x], b = slave[y * width + x];
		tile[k / HALO_X][k % HALO_X] = atan2(a.y * b.x - a.x * b.y, a.x * b.x + a.y * b.y);
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	int lx = get_local_id(0), ly = get_local_id(1);
	int x = x0 + lx, y = y0 + ly;
	if (x < width && y < height) {
		float here = tile[ly][lx], right = tile[ly][lx + 1];
		float below = tile[ly + 1][lx], across = tile[ly + 1][lx + 1];
		float turns = wrapped(right - here) + wrapped(across - right) + wrapped(below - across) + wrapped(here - below);
		char sign = (char)rint(turns / TWO_PI);
		phase[y * width + x] = here;
		charge[y * width + x] = sign;
		if (sign != 0)
			atomic_inc(&tally[sign > 0]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid < 2 && tally[lid] > 0)
		atomic_add(&charges[lid], tally[lid]);
}
