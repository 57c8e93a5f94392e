/* SPDX-License-Identifier: Apache-2.0 */
/* A field of rounded boxes over a floor that waves, drawn by marching along each ray as far as nothing can be. */
typedef struct {
	float3 eye, ahead, right, up;
} camera;

float scene(float3 p)
{
	float3 cell = p - 2.0f * floor(p * 0.5f) - 1.0f;
	float3 out = fabs((float3)(cell.x, p.y - 0.5f, cell.z)) - (float3)(0.3f, 0.5f, 0.3f);
	float box = length(fmax(out, (float3)(0.0f))) + fmin(fmax(out.x, fmax(out.y, out.z)), 0.0f) - 0.05f;
	float ground = p.y + 0.2f * sin(p.x) * sin(p.z);
	return fmin(box, 0.7f * ground);
}

float3 normal_at(float3 p)
{
	const float2 e = (float2)(0.001f, 0.0f);
	return normalize((float3)(scene(p + e.xyy) - scene(p - e.xyy), scene(p + e.yxy) - scene(p - e.yxy),
	                          scene(p + e.yyx) - scene(p - e.yyx)));
}

kernel void raymarch_sdf(global uchar4 *picture, global float *depth, int width, int height, float4 eye)
{
	const int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	camera c;
	c.eye = eye.xyz;
	c.ahead = (float3)(cos(eye.w), -0.3f, sin(eye.w));
	c.right = normalize(cross(c.ahead, (float3)(0.0f, 1.0f, 0.0f)));
	c.up = cross(c.right, c.ahead);
	const float u = (2.0f * x - width) / height, v = (height - 2.0f * y) / height;
	const float3 ray = normalize(c.ahead + u * c.right + v * c.up);
	float t = 0.0f;
	int hit = 0;
	for (int step = 0; step < 64 && t < 20.0f; step++) {
		const float free = scene(c.eye + t * ray);
		if (free < 0.002f) {
			hit = 1;
			break;
		}
		t += free;
	}
	float light = 0.1f;
	if (hit)
		light += 0.9f * fmax(dot(normal_at(c.eye + t * ray), (float3)(0.6f, 0.64f, 0.48f)), 0.0f);
	depth[y * width + x] = hit ? t : 20.0f;
	picture[y * width + x] = convert_uchar4_sat((float4)(light * 255.0f, light * 230.0f, light * 200.0f, 255.0f));
}
