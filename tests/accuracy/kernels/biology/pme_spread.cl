/* SPDX-License-Identifier: Apache-2.0 */
/* Charges onto a periodic grid by cubic B-splines, 64 points an atom, added up as integers. Places are fractions of
 * the box. */
float4 spline(float t)
{
	float s = 1.0f - t;
	return (float4)(s * s * s, 4.0f - 6.0f * t * t + 3.0f * t * t * t, 4.0f - 6.0f * s * s + 3.0f * s * s * s,
	                t * t * t) * (1.0f / 6.0f);
}

kernel void pme_spread(global const float4 *atoms, volatile global int *grid, int count, int side, float unit)
{
	int i = get_global_id(0);
	if (i >= count)
		return;

	float4 atom = atoms[i];
	float3 place = atom.xyz * (float)side;
	float3 corner = floor(place);
	int3 first = convert_int3(corner) + side - 1;
	float3 part = place - corner;
	float4 wx = spline(part.x), wy = spline(part.y), wz = spline(part.z);
	float x[4], y[4], z[4];
	vstore4(wx, 0, x);
	vstore4(wy, 0, y);
	vstore4(wz * atom.w * unit, 0, z);
	for (int c = 0; c < 4; c++) {
		int layer = (first.z + c) % side * side;
		for (int b = 0; b < 4; b++) {
			int row = (layer + (first.y + b) % side) * side;
			float weight = z[c] * y[b];
			for (int a = 0; a < 4; a++)
				atomic_add(&grid[row + (first.x + a) % side], convert_int_rte(weight * x[a]));
		}
	}
}
