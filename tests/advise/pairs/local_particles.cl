// SPDX-License-Identifier: Apache-2.0
//
// Particles in local memory, each of eight words: structures against an array a component.

#define GROUP 128

struct particle {
	float x, y, z, mass, u, v, w, charge;
};

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	__local struct particle near[GROUP];
	const uint i = get_global_id(0), lane = get_local_id(0);
	float x = in[i], u = 0.125f * x;

	for (uint r = 0; r < rounds; r++) {
		near[lane].x = x;
		near[lane].u = u;
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint other = (lane + r) & (GROUP - 1);
		x = 0.5f * x + 0.25f * near[other].x;
		u = 0.5f * u + 0.25f * near[other].u;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = x + u;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	__local float near_x[GROUP], near_u[GROUP];
	const uint i = get_global_id(0), lane = get_local_id(0);
	float x = in[i], u = 0.125f * x;

	for (uint r = 0; r < rounds; r++) {
		near_x[lane] = x;
		near_u[lane] = u;
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint other = (lane + r) & (GROUP - 1);
		x = 0.5f * x + 0.25f * near_x[other];
		u = 0.5f * u + 0.25f * near_u[other];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = x + u;
}
