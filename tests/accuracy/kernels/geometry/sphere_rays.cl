/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of spheres: a ray through each pixel, the nearest sphere that it meets, light from above. */
float meet(float3 from, float3 ray, float4 sphere)
{
	float3 to = sphere.xyz - from;
	float along = dot(to, ray);
	float inside = sphere.w * sphere.w - dot(to, to) + along * along;
	if (along < 0.0f || inside < 0.0f)
		return INFINITY;
	return along - sqrt(inside);
}

__kernel void sphere_rays(__constant float4 *spheres, int count, __global float *brightness, int width, int height,
                          float distance)
{
	int px = get_global_id(0), py = get_global_id(1);
	float3 eye = (float3)(0.5f, 0.5f, -distance);
	float3 ray = normalize((float3)((px + 0.5f) / width, (py + 0.5f) / height, 0.0f) - eye);
	float nearest = INFINITY;
	int which = -1;

	if (px >= width || py >= height)
		return;
	for (int i = 0; i < count; i++) {
		float at = meet(eye, ray, spheres[i]);
		if (at < nearest) {
			nearest = at;
			which = i;
		}
	}
	float light = 0.05f;
	if (which >= 0) {
		float3 normal = (eye + nearest * ray - spheres[which].xyz) / spheres[which].w;
		light += 0.95f * fmax(0.0f, dot(normal, (float3)(0.48f, 0.6f, -0.64f)));
	}
	brightness[py * width + px] = light;
}
