// SPDX-License-Identifier: Apache-2.0
//
// A relaxation of a lattice of 9 velocities, velocity by velocity in memory.

__kernel void relax(__global const float *f, __global float *g, uint nodes, float omega)
{
	const uint n = get_global_id(0);
	float density = 0.0f, v[9];

#pragma unroll
	for (uint i = 0; i < 9; i++) {
		v[i] = f[i * nodes + n];
		density += v[i];
	}
#pragma unroll
	for (uint i = 0; i < 9; i++)
		g[i * nodes + n] = mad(omega, density * 0.111111111f - v[i], v[i]);
}
