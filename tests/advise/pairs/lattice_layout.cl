// SPDX-License-Identifier: Apache-2.0
//
// One relaxation of a lattice of 9 velocities: those of a node side by side against those of a
// velocity.

__kernel void bad(__global const float *f, __global float *g, uint nodes)
{
	const uint n = get_global_id(0);
	float density = 0.0f, v[9];

	for (uint i = 0; i < 9; i++) {
		v[i] = f[n * 9 + i];
		density += v[i];
	}
	for (uint i = 0; i < 9; i++)
		g[n * 9 + i] = v[i] + 0.6f * (density / 9.0f - v[i]);
}

__kernel void good(__global const float *f, __global float *g, uint nodes)
{
	const uint n = get_global_id(0);
	float density = 0.0f, v[9];

	for (uint i = 0; i < 9; i++) {
		v[i] = f[i * nodes + n];
		density += v[i];
	}
	for (uint i = 0; i < 9; i++)
		g[i * nodes + n] = v[i] + 0.6f * (density / 9.0f - v[i]);
}
