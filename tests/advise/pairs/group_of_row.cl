// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of 16-bit numbers, a group a row: one number an iteration against four.

#define GROUP 64

__kernel void bad(__global const ushort *in, __global uint *out, uint columns)
{
	__local uint sums[GROUP];
	const uint lane = get_local_id(0), row = get_group_id(0);
	uint sum = 0;

	for (uint k = lane; k < columns; k += GROUP)
		sum += in[row * columns + k];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			sums[lane] += sums[lane + left];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[row] = sums[0];
}

__kernel void good(__global const ushort *in, __global uint *out, uint columns)
{
	__local uint sums[GROUP];
	const uint lane = get_local_id(0), row = get_group_id(0);
	__global const ushort4 *wide = (__global const ushort4 *)in;
	uint4 four = 0;

	for (uint k = lane; k < columns / 4; k += GROUP)
		four += convert_uint4(wide[row * columns / 4 + k]);
	sums[lane] = four.x + four.y + four.z + four.w;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint left = GROUP / 2; left > 0; left /= 2) {
		if (lane < left)
			sums[lane] += sums[lane + left];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		out[row] = sums[0];
}
