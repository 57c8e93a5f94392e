/* SPDX-License-Identifier: Apache-2.0 */
/* Stiffness matrices of linear tetrahedra: 12 x 12 doubles an element, the same entry of all elements side by side.
 * An element without volume has none. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

double3 node_at(global const double *nodes, int n)
{
	return vload3(n, nodes);
}

kernel void tet_stiffness(global const double *nodes, global const int4 *elements, global double *stiffness, int count,
                          double lambda, double mu)
{
	const int e = get_global_id(0);
	double g[4][3];

	if (e >= count)
		return;
	const int4 corner = elements[e];
	const double3 origin = node_at(nodes, corner.x);
	const double3 a = node_at(nodes, corner.y) - origin;
	const double3 b = node_at(nodes, corner.z) - origin;
	const double3 c = node_at(nodes, corner.w) - origin;
	const double det = dot(a, cross(b, c));
	const int flat = fabs(det) < 1e-12;
	const double inverse = flat ? 0.0 : 1.0 / det;
	const double volume = fabs(det) / 6.0;

	vstore3(cross(b, c) * inverse, 1, &g[0][0]);
	vstore3(cross(c, a) * inverse, 2, &g[0][0]);
	vstore3(cross(a, b) * inverse, 3, &g[0][0]);
	for (int k = 0; k < 3; k++)
		g[0][k] = -(g[1][k] + g[2][k] + g[3][k]);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			const double along = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
			for (int p = 0; p < 3; p++)
				for (int q = 0; q < 3; q++) {
					double k = lambda * g[i][p] * g[j][q] + mu * g[i][q] * g[j][p];
					if (p == q)
						k += mu * along;
					stiffness[((3 * i + p) * 12 + 3 * j + q) * count + e] = volume * k;
				}
		}
}
