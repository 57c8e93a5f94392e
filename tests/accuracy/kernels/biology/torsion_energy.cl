/* SPDX-License-Identifier: Apache-2.0 */
/* Energies of torsions: four atoms each, the angle between their planes, and a cosine of a type's height, multiple
 * and phase. */
__constant float type_of[8][3] = {{1.4f, 3, 0.0f},    {0.65f, 2, 3.1415927f}, {2.5f, 2, 3.1415927f}, {0.2f, 1, 0.0f},
                                  {10.5f, 2, 3.1415927f}, {0.16f, 3, 0.0f},   {1.1f, 4, 0.5f},       {0.53f, 6, 1.0f}};

kernel void torsion_energy(global const float4 *atoms, global const int4 *quads, global const uchar *types,
                           global float *energy, int torsions)
{
	const int n = get_global_id(0);
	if (n >= torsions)
		return;

	const int4 q = quads[n];
	const float3 b1 = atoms[q.y].xyz - atoms[q.x].xyz;
	const float3 b2 = atoms[q.z].xyz - atoms[q.y].xyz;
	const float3 b3 = atoms[q.w].xyz - atoms[q.z].xyz;
	const float3 n1 = cross(b1, b2), n2 = cross(b2, b3);
	const float angle = atan2(dot(cross(n1, n2), b2), dot(n1, n2) * length(b2));
	const int type = types[n] & 7;
	energy[n] = type_of[type][0] * (1.0f + cos(type_of[type][1] * angle - type_of[type][2]));
}
