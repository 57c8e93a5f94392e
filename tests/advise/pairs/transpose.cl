// SPDX-License-Identifier: Apache-2.0
//
// A transposition: writes that lie a row apart against a tile in local memory, so that reads and
// writes are coalesced.

#define TILE 16

__kernel void bad(__global const float *in, __global float *out, uint width, uint height)
{
	const uint x = get_global_id(0), y = get_global_id(1);

	if (x < width && y < height)
		out[x * height + y] = in[y * width + x];
}

__kernel void good(__global const float *in, __global float *out, uint width, uint height)
{
	__local float tile[TILE * (TILE + 1)];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint x = get_global_id(0), y = get_global_id(1);
	const uint tx = get_group_id(1) * TILE + lx, ty = get_group_id(0) * TILE + ly;

	if (x < width && y < height)
		tile[ly * (TILE + 1) + lx] = in[y * width + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (tx < height && ty < width)
		out[ty * height + tx] = tile[lx * (TILE + 1) + ly];
}
