/* SPDX-License-Identifier: Apache-2.0 */
/* Forces and energies of Morse's potential from a list of atoms for each cell of a periodic box: a work-item has a
 * cell, and goes through those around it. */
#define WRAP(x) (((x) + side) % side)

typedef struct {
	float depth, width, distance, cutoff;
} morse;

float4 pull(float4 a, float4 b, morse m)
{
	float3 d = b.xyz - a.xyz;
	float square = dot(d, d);
	if (square >= m.cutoff * m.cutoff)
		return (float4)(0.0f);
	float r = sqrt(square);
	float x = exp(-m.width * (r - m.distance));
	float force = 2.0f * m.depth * m.width * (x - x * x) / r;
	return (float4)(force * d, 0.5f * m.depth * (x * x - 2.0f * x));
}

kernel void cell_morse(global const float4 *atoms, global const int *start, global float4 *forces, int side,
                       float4 constants)
{
	int cx = get_global_id(0), cy = get_global_id(1), cz = get_global_id(2);
	int here = (cz * side + cy) * side + cx;
	morse m = {constants.x, constants.y, constants.z, constants.w};

	for (int i = start[here]; i < start[here + 1]; i++) {
		float4 me = atoms[i], sum = (float4)(0.0f);
		for (int dz = -1; dz <= 1; dz++)
			for (int dy = -1; dy <= 1; dy++)
				for (int dx = -1; dx <= 1; dx++) {
					int there = (WRAP(cz + dz) * side + WRAP(cy + dy)) * side + WRAP(cx + dx);
					for (int j = start[there]; j < start[there + 1]; j++)
						if (j != i)
							sum += pull(me, atoms[j], m);
				}
		forces[i] = sum;
	}
}
