/* SPDX-License-Identifier: Apache-2.0 */
/* A step of the shallow water equations on a flood plain, finite volumes with the fluxes of Harten, Lax and van Leer
   and hydrostatic reconstruction (Audusse), so that still water stays still on uneven ground. Cells that hold less
   than DRY do not move; friction is Manning's, implicit. A cell is depth, discharge along x and y, and the ground. */
#ifndef TILE_X
#define TILE_X 16
#define TILE_Y 8
#endif
#define G    9.81f
#define DRY  1e-3f

/* Of what flows from `left` to `right` along x: depth, both discharges; .w is what the ground adds to the momentum of
   the cell on side `side` (-1 left). */
float4 flux_x(float4 left, float4 right, float side)
{
	const float ground = fmax(left.w, right.w);
	const float h_l = fmax(left.x + left.w - ground, 0.0f), h_r = fmax(right.x + right.w - ground, 0.0f);
	const float2 u_l = left.x > DRY ? left.yz / left.x : (float2)(0.0f);
	const float2 u_r = right.x > DRY ? right.yz / right.x : (float2)(0.0f);
	const float own = side < 0.0f ? left.x : right.x, rebuilt = side < 0.0f ? h_l : h_r;
	const float push = 0.5f * G * (own * own - rebuilt * rebuilt);
	if (h_l < DRY && h_r < DRY)
		return (float4)(0.0f, 0.0f, 0.0f, push);

	const float c_l = sqrt(G * h_l), c_r = sqrt(G * h_r);
	const float s_l = fmin(fmin(u_l.x - c_l, u_r.x - c_r), 0.0f);
	const float s_r = fmax(fmax(u_l.x + c_l, u_r.x + c_r), 0.0f);
	const float3 q_l = (float3)(h_l, h_l * u_l.x, h_l * u_l.y);
	const float3 q_r = (float3)(h_r, h_r * u_r.x, h_r * u_r.y);
	const float3 f_l = q_l * u_l.x + (float3)(0.0f, 0.5f * G * h_l * h_l, 0.0f);
	const float3 f_r = q_r * u_r.x + (float3)(0.0f, 0.5f * G * h_r * h_r, 0.0f);

	return (float4)((s_r * f_l - s_l * f_r + s_l * s_r * (q_r - q_l)) / (s_r - s_l), push);
}

/* The same along y. */
float4 flux_y(float4 lower, float4 upper, float side)
{
	return flux_x(lower.xzyw, upper.xzyw, side).xzyw;
}

kernel void shallow_hll(global const float4 *cells, global float4 *next, int width, int height, float dt_per_dx,
                        float friction)
{
	local float4 tile[TILE_Y + 2][TILE_X + 2];
	const int x = get_global_id(0), y = get_global_id(1);
	const int first_x = get_group_id(0) * TILE_X - 1, first_y = get_group_id(1) * TILE_Y - 1;

	for (int k = get_local_id(1) * TILE_X + get_local_id(0); k < (TILE_X + 2) * (TILE_Y + 2); k += TILE_X * TILE_Y) {
		const int from_x = clamp(first_x + k % (TILE_X + 2), 0, width - 1);
		const int from_y = clamp(first_y + k / (TILE_X + 2), 0, height - 1);
		tile[k / (TILE_X + 2)][k % (TILE_X + 2)] = cells[from_y * width + from_x];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x >= width || y >= height)
		return;

	const int i = get_local_id(0) + 1, j = get_local_id(1) + 1;
	const float4 here = tile[j][i];
	const float4 west = flux_x(tile[j][i - 1], here, 1.0f), east = flux_x(here, tile[j][i + 1], -1.0f);
	const float4 south = flux_y(tile[j - 1][i], here, 1.0f), north = flux_y(here, tile[j + 1][i], -1.0f);

	float h = here.x - dt_per_dx * (east.x - west.x + north.x - south.x);
	float qx = here.y - dt_per_dx * (east.y + east.w - west.y - west.w + north.y - south.y);
	float qy = here.z - dt_per_dx * (east.z - west.z + north.z + north.w - south.z - south.w);

	if (h > DRY) {
		const float drag = 1.0f + friction * hypot(qx, qy) / (h * h * cbrt(h));
		qx /= drag;
		qy /= drag;
	} else {
		h = fmax(h, 0.0f);
		qx = qy = 0.0f;
	}
	next[y * width + x] = (float4)(h, qx, qy, here.w);
}
