/* SPDX-License-Identifier: Apache-2.0 */
/* Finite volumes on a mesh of any shape: what flows through each edge is taken from one cell and given to the other,
 * floats added by exchanges that compare. */
void add(volatile __global int *to, float value)
{
	int seen = *to, old;
	do {
		old = seen;
		seen = atomic_cmpxchg(to, old, as_int(as_float(old) + value));
	} while (seen != old);
}

__kernel void edge_scatter(__global const int2 *cells, __global const float2 *normals, __global const float2 *velocity,
                           __global const float *density, volatile __global int *change, int edges)
{
	int e = get_global_id(0);
	if (e >= edges)
		return;

	int2 pair = cells[e];
	float2 mean = 0.5f * (velocity[pair.x] + velocity[pair.y]);
	float through = dot(mean, normals[e]);
	float upwind = through > 0.0f ? density[pair.x] : density[pair.y];
	add(&change[pair.x], -through * upwind);
	add(&change[pair.y], through * upwind);
}
