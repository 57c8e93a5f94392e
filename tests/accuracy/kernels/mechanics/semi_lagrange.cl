/* SPDX-License-Identifier: Apache-2.0 */
/* Smoke is where it came from: back along the velocity in two half-steps, then between four cells. */
float2 velocity_at(global const float2 *velocity, float2 place, int2 last)
{
	const int2 cell = clamp(convert_int2_rtn(place + 0.5f), (int2)(0), last);
	return velocity[cell.y * (last.x + 1) + cell.x];
}

kernel void semi_lagrange(global const float2 *velocity, global const float *before, global float *after, int width,
                          int height, float dt)
{
	const int2 here = (int2)(get_global_id(0), get_global_id(1));
	const int2 last = (int2)(width - 1, height - 1);
	if (here.x > last.x || here.y > last.y)
		return;

	float2 place = convert_float2(here);
	const float2 half_way = place - 0.5f * dt * velocity[here.y * width + here.x];
	place -= dt * velocity_at(velocity, half_way, last);
	place = clamp(place, (float2)(0.0f), convert_float2(last));
	const int2 cell = min(convert_int2(place), last - 1);
	const float2 part = place - convert_float2(cell);
	global const float *low = before + cell.y * width + cell.x;
	const float bottom = mix(low[0], low[1], part.x);
	const float top = mix(low[width], low[width + 1], part.x);
	after[here.y * width + here.x] = mix(bottom, top, part.y);
}
