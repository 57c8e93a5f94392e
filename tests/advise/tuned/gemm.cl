// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices: tiles in local memory, 4 x 4 and 8 x 8 results a work-item in registers,
// float4 from and to global memory.

#define DEEP 16

__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
gemm_64(__global const float4 *a, __global const float4 *b, __global float4 *c, uint n)
{
	__local float of_a[DEEP][64 + 4];
	__local float4 of_b[DEEP][16];
	const uint x = get_local_id(0), y = get_local_id(1), lane = y * 16 + x, wide = n / 4;
	const uint row = get_group_id(1) * 64, column = get_group_id(0) * 16;
	const uint a_row = lane / 4, a_part = lane % 4, b_row = lane / 16, b_part = lane % 16;
	float4 sum[4];

	for (uint i = 0; i < 4; i++)
		sum[i] = 0.0f;
	for (uint first = 0; first < n; first += DEEP) {
		const float4 next = a[(row + a_row) * wide + first / 4 + a_part];
		of_a[4 * a_part][a_row] = next.x;
		of_a[4 * a_part + 1][a_row] = next.y;
		of_a[4 * a_part + 2][a_row] = next.z;
		of_a[4 * a_part + 3][a_row] = next.w;
		of_b[b_row][b_part] = b[(first + b_row) * wide + column + b_part];
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (uint k = 0; k < DEEP; k++) {
			const float4 top = of_b[k][x];
#pragma unroll
			for (uint i = 0; i < 4; i++)
				sum[i] = mad((float4)(of_a[k][4 * y + i]), top, sum[i]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = 0; i < 4; i++)
		c[(row + 4 * y + i) * wide + column + x] = sum[i];
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
gemm_128(__global const float4 *a, __global const float4 *b, __global float4 *c, uint n)
{
	__local float of_a[8][128 + 4];
	__local float4 of_b[8][32];
	const uint x = get_local_id(0), y = get_local_id(1), lane = y * 16 + x, wide = n / 4;
	const uint row = get_group_id(1) * 128, column = get_group_id(0) * 32;
	const uint a_row = lane / 2, a_part = lane % 2, b_row = lane / 32, b_part = lane % 32;
	float4 sum[8][2];

	for (uint i = 0; i < 8; i++)
		sum[i][0] = sum[i][1] = 0.0f;
	for (uint first = 0; first < n; first += 8) {
		const float4 next = a[(row + a_row) * wide + first / 4 + a_part];
		of_a[4 * a_part][a_row] = next.x;
		of_a[4 * a_part + 1][a_row] = next.y;
		of_a[4 * a_part + 2][a_row] = next.z;
		of_a[4 * a_part + 3][a_row] = next.w;
		of_b[b_row][b_part] = b[(first + b_row) * wide + column + b_part];
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (uint k = 0; k < 8; k++) {
			const float4 left = of_b[k][x], right = of_b[k][x + 16];
#pragma unroll
			for (uint i = 0; i < 8; i++) {
				const float4 one = of_a[k][8 * y + i];
				sum[i][0] = mad(one, left, sum[i][0]);
				sum[i][1] = mad(one, right, sum[i][1]);
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = 0; i < 8; i++) {
		c[(row + 8 * y + i) * wide + column + x] = sum[i][0];
		c[(row + 8 * y + i) * wide + column + x + 16] = sum[i][1];
	}
}
