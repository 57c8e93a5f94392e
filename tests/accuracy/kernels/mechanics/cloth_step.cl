/* SPDX-License-Identifier: Apache-2.0 */
/* A cloth hung up by its top row: springs to twelve neighbours, and Verlet's step. */
__constant int2 spring[12] = {
        (int2)(-1, 0), (int2)(1, 0), (int2)(0, -1), (int2)(0, 1), (int2)(-1, -1), (int2)(1, -1),
        (int2)(-1, 1), (int2)(1, 1), (int2)(-2, 0), (int2)(2, 0), (int2)(0, -2), (int2)(0, 2)};

kernel void cloth_step(global const float4 *now, global const float4 *before, global float4 *next, int width,
                       int height, float rest, float stiffness, float damping, float dt)
{
	const int x = get_global_id(0), y = get_global_id(1);
	const int i = y * width + x;

	if (x >= width || y >= height)
		return;
	const float4 me = now[i];
	if (y == 0) {
		next[i] = me;
		return;
	}
	float3 force = (float3)(0.0f, -9.81f, 0.0f);
	for (int k = 0; k < 12; k++) {
		const int ox = x + spring[k].x, oy = y + spring[k].y;
		if (ox < 0 || ox >= width || oy < 0 || oy >= height)
			continue;
		const float3 d = now[oy * width + ox].xyz - me.xyz;
		const float natural = rest * length(convert_float2(spring[k]));
		const float stretched = fmax(length(d), 1e-6f);
		force += stiffness * (stretched - natural) / stretched * d;
	}
	const float3 moved = (me.xyz - before[i].xyz) * (1.0f - damping);
	next[i] = (float4)(me.xyz + moved + force * (dt * dt), me.w);
}
