// SPDX-License-Identifier: Apache-2.0
//
// Stencils: planes of 7 points with a queue in registers along z, and a 2-D Jacobi step whose tile
// lies in local memory.

__kernel void seven_points(__global const float *in, __global float *out, int nx, int ny, int nz)
{
	const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, plane = nx * ny;
	const int at = y * nx + x;
	float below = in[at], here = in[plane + at];

	for (int z = 1; z < nz - 1; z++) {
		const float above = in[(z + 1) * plane + at];
		__global const float *p = in + z * plane + at;

		const float around = below + above + p[-1] + p[1] + p[-nx] + p[nx];

		out[z * plane + at] = 0.4f * here + 0.1f * around;
		below = here;
		here = above;
	}
}

#define TX 32
#define TY 8

__kernel void jacobi(__global const float *in, __global float *out, int pitch)
{
	__local float tile[TY + 2][TX + 2];
	const int lx = get_local_id(0), ly = get_local_id(1);
	const int x = get_global_id(0), y = get_global_id(1), at = (y + 1) * pitch + x + 1;

	tile[ly + 1][lx + 1] = in[at];
	if (ly == 0)
		tile[0][lx + 1] = in[at - pitch];
	if (ly == TY - 1)
		tile[TY + 1][lx + 1] = in[at + pitch];
	if (lx == 0)
		tile[ly + 1][0] = in[at - 1];
	if (lx == TX - 1)
		tile[ly + 1][TX + 1] = in[at + 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[at] = 0.25f * (tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] +
	                   tile[ly + 1][lx + 2]);
}
