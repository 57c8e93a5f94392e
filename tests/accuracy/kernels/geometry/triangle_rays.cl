/* SPDX-License-Identifier: Apache-2.0 */
/* Rays and triangles by Moeller and Trumbore's test, triangles through local memory: the nearest hit. */
kernel void triangle_rays(global const float4 *origin, global const float4 *direction, global const float4 *corners,
                          global float *distance, global int *which, int triangles, local float4 *tile)
{
	const int ray = get_global_id(0);
	const int lid = get_local_id(0);
	const int size = get_local_size(0);
	const float3 o = origin[ray].xyz, d = direction[ray].xyz;
	float best = MAXFLOAT;
	int hit = -1;

	for (int first = 0; first < triangles; first += size) {
		const int many = min(size, triangles - first);
		if (lid < many) {
			const float4 corner = corners[3 * (first + lid)];
			tile[3 * lid] = corner;
			tile[3 * lid + 1] = corners[3 * (first + lid) + 1] - corner;
			tile[3 * lid + 2] = corners[3 * (first + lid) + 2] - corner;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int t = 0; t < many; t++) {
			const float3 e1 = tile[3 * t + 1].xyz, e2 = tile[3 * t + 2].xyz;
			const float3 p = cross(d, e2);
			const float volume = dot(e1, p);
			if (fabs(volume) < 1e-7f)
				continue;
			const float scale = 1.0f / volume;
			const float3 s = o - tile[3 * t].xyz;
			const float u = scale * dot(s, p);
			if (u < 0.0f || u > 1.0f)
				continue;
			const float3 q = cross(s, e1);
			const float v = scale * dot(d, q);
			if (v < 0.0f || u + v > 1.0f)
				continue;
			const float along = scale * dot(e2, q);
			if (along > 1e-4f && along < best) {
				best = along;
				hit = first + t;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	distance[ray] = best;
	which[ray] = hit;
}
