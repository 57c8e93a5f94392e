/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a D2Q9 lattice-Boltzmann flow through porous rock: pulled, relaxed, bounced back off rock. */
#define Q 9

__constant int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant float weight[Q] = {4.0f / 9.0f,  1.0f / 9.0f,  1.0f / 9.0f,  1.0f / 9.0f, 1.0f / 9.0f,
                              1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f};

__kernel void lbm_obstacles(__global const float *restrict from, __global float *restrict to,
                            __global const float *restrict porosity, const int nx, const int ny,
                            const float rock_below, const float omega, const float push)
{
	const int x = get_global_id(0);
	const int y = get_global_id(1);
	const int cells = nx * ny;
	const int here = y * nx + x;
	float f[Q];

	if (x >= nx || y >= ny)
		return;
	for (int q = 0; q < Q; q++) {
		const int px = (x - ex[q] + nx) % nx;
		const int py = (y - ey[q] + ny) % ny;
		f[q] = from[q * cells + py * nx + px];
	}
	if (porosity[here] < rock_below) {
		for (int q = 0; q < Q; q++)
			to[opposite[q] * cells + here] = f[q];
		return;
	}
	float rho = 0.0f, ux = 0.0f, uy = 0.0f;
	for (int q = 0; q < Q; q++) {
		rho += f[q];
		ux += ex[q] * f[q];
		uy += ey[q] * f[q];
	}
	ux = ux / rho + push;
	uy /= rho;
	const float square = 1.5f * (ux * ux + uy * uy);
	for (int q = 0; q < Q; q++) {
		const float eu = 3.0f * (ex[q] * ux + ey[q] * uy);
		const float balance = weight[q] * rho * (1.0f + eu + 0.5f * eu * eu - square);
		to[q * cells + here] = f[q] + omega * (balance - f[q]);
	}
}
