/* SPDX-License-Identifier: Apache-2.0 */
/* Reaction and diffusion of two substances on a torus, after Gray and Scott. */
float2 at(global const float2 *field, int x, int y, int width, int height)
{
	x = x < 0 ? x + width : (x >= width ? x - width : x);
	y = y < 0 ? y + height : (y >= height ? y - height : y);
	return field[y * width + x];
}

kernel void gray_scott(global const float2 *in, global float2 *out, int width, int height, float feed,
                       float kill, float dt)
{
	const int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	const float2 here = in[y * width + x];
	float2 spread = -here;
	spread += 0.2f * (at(in, x - 1, y, width, height) + at(in, x + 1, y, width, height) +
	                  at(in, x, y - 1, width, height) + at(in, x, y + 1, width, height));
	spread += 0.05f * (at(in, x - 1, y - 1, width, height) + at(in, x + 1, y - 1, width, height) +
	                   at(in, x - 1, y + 1, width, height) + at(in, x + 1, y + 1, width, height));
	const float reaction = here.x * here.y * here.y;
	const float2 change = (float2)(feed * (1.0f - here.x) - reaction, reaction - (feed + kill) * here.y);
	out[y * width + x] = here + dt * ((float2)(1.0f, 0.5f) * spread + change);
}
