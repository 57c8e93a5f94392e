/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred shading: a texel between four, by places that a first pass left, under eight lights that shine and fade. */
#define LIGHTS 8

typedef struct {
	float4 place; /* and how far it reaches */
	float4 colour; /* and how sharp it shines */
} light;

float4 texel(global const uchar4 *texture, int side, int x, int y)
{
	return convert_float4(texture[(y & (side - 1)) * side + (x & (side - 1))]);
}

float4 sampled(global const uchar4 *texture, int side, float2 uv)
{
	const float2 at = uv * (float)side - 0.5f;
	const float2 low = floor(at);
	const float2 part = at - low;
	const int x = (int)low.x, y = (int)low.y;
	const float4 upper = mix(texel(texture, side, x, y), texel(texture, side, x + 1, y), part.x);
	const float4 lower = mix(texel(texture, side, x, y + 1), texel(texture, side, x + 1, y + 1), part.x);
	return mix(upper, lower, part.y) * (1.0f / 255.0f);
}

kernel void texture_lights(global const float2 *places, global const float4 *points, global const float4 *normals,
                           global const uchar4 *texture, constant light *lights, global float4 *shaded, int width,
                           int height, int side)
{
	const int x = get_global_id(0), y = get_global_id(1);
	const int i = y * width + x;

	if (x >= width || y >= height)
		return;
	const float4 base = sampled(texture, side, places[i]);
	const float3 point = points[i].xyz, normal = normalize(normals[i].xyz);
	float3 sum = 0.05f * base.xyz;
	for (int k = 0; k < LIGHTS; k++) {
		const float3 to = lights[k].place.xyz - point;
		const float square = dot(to, to);
		const float reach = lights[k].place.w;
		if (square >= reach * reach)
			continue;
		const float3 way = to * native_rsqrt(square + 1e-6f);
		const float facing = dot(normal, way);
		if (facing <= 0.0f)
			continue;
		const float fade = 1.0f - square / (reach * reach);
		const float3 mirrored = 2.0f * facing * normal - way;
		const float shine = pow(fmax(mirrored.z, 0.0f), lights[k].colour.w);
		sum += fade * lights[k].colour.xyz * (facing * base.xyz + shine);
	}
	shaded[i] = (float4)(sum, base.w);
}
