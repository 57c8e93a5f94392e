/* SPDX-License-Identifier: Apache-2.0 */
/* Lennard-Jones forces by a list of neighbours, as molecular dynamics of benchmark suites. */
kernel void neighbour_forces(global const float4 *position, global const int *neighbour,
                             global float4 *force, int neighbours, int count, float cutoff_squared)
{
	int i = get_global_id(0);
	float4 here = position[i];
	float4 sum = (float4)(0.0f);

	for (int j = 0; j < neighbours; j++) {
		float4 other = position[neighbour[j * count + i]];
		float4 between = here - other;
		float square = between.x * between.x + between.y * between.y + between.z * between.z;
		if (square < cutoff_squared && square > 0.0f) {
			float inverse = 1.0f / (square + 0.1f);
			float sixth = inverse * inverse * inverse;
			sum += between * (inverse * sixth * (sixth - 0.5f));
		}
	}
	sum.w = 0.0f;
	force[i] = sum;
}
