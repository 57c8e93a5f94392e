/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest sphere that each ray meets: boxes of a complete binary tree are gone through with a stack, the nearer
 * child first. A node has a middle and half its sides; the last level's nodes have a sphere each. */
#define FAR 1e30f

float entry(float4 middle, float4 half_side, float3 from, float3 inverse, float most)
{
	float3 a = (middle.xyz - half_side.xyz - from) * inverse;
	float3 b = (middle.xyz + half_side.xyz - from) * inverse;
	float3 low = fmin(a, b), high = fmax(a, b);
	float in = fmax(fmax(low.x, low.y), fmax(low.z, 0.0f));
	float out = fmin(fmin(high.x, high.y), fmin(high.z, most));
	return in <= out ? in : FAR;
}

__kernel void bvh_traverse(__global const float4 *middles, __global const float4 *half_sides,
                           __global const float4 *spheres, __global const float4 *origins,
                           __global const float4 *directions, __global float *nearest, __global int *hit, int leaves,
                           int rays)
{
	int ray = get_global_id(0);
	int stack[32], top = 0;

	if (ray >= rays)
		return;
	float3 from = origins[ray].xyz, way = normalize(directions[ray].xyz);
	float3 inverse = 1.0f / way;
	float best = FAR;
	int which = -1;
	stack[top++] = 0;
	while (top > 0) {
		int node = stack[--top];
		if (node >= leaves - 1) {
			float4 s = spheres[node - leaves + 1];
			float3 to = s.xyz - from;
			float along = dot(to, way);
			float inside = s.w * s.w - dot(to, to) + along * along;
			if (inside < 0.0f)
				continue;
			float t = along - sqrt(inside);
			if (t > 0.0f && t < best) {
				best = t;
				which = node - leaves + 1;
			}
			continue;
		}
		int left = 2 * node + 1, right = left + 1;
		float tl = entry(middles[left], half_sides[left], from, inverse, best);
		float tr = entry(middles[right], half_sides[right], from, inverse, best);
		if (tl > tr) {
			int other = left;
			float t = tl;
			left = right, right = other;
			tl = tr, tr = t;
		}
		if (tr < FAR)
			stack[top++] = right;
		if (tl < FAR)
			stack[top++] = left;
	}
	nearest[ray] = best;
	hit[ray] = which;
}
