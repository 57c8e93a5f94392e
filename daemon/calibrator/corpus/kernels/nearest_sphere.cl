/* SPDX-License-Identifier: Apache-2.0 */
/* a ray for each pixel, `count` spheres */
kernel void nearest_sphere(constant float4 *sphere, global float *depth, int width, int count)
{
	int x = get_global_id(0), y = get_global_id(1);
	float3 ray = normalize((float3)(x * 2.0f / width - 1, y * 2.0f / width - 1, 1));
	float least = 1e30f;

	for (int k = 0; k < count; k++) {
		float along = dot(ray, sphere[k].xyz);
		float apart = dot(sphere[k].xyz, sphere[k].xyz) - sphere[k].w * sphere[k].w;
		float inside = along * along - apart;
		if (inside > 0)
			least = fmin(least, along - sqrt(inside));
	}
	depth[y * width + x] = least;
}
