/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by tiles of 16 x 16 in local memory. */
// launch: global=512,512 local=16,16 args=buffer:1M:r,buffer:1M:r,buffer:1M:w,int:512
// expect: kernel matmul_tiled
// expect: written mul.float 512
// expect: written add.float 512
// expect: trips 27 32
// expect: trips 31 16
// expect: accesses 7
// expect: store a_tile local
// expect: load b_tile local
// expect: barriers 64
// expect: local_bytes 2048
#define TILE 16

kernel void matmul_tiled(global const float *a, global const float *b, global float *c, int n)
{
	local float a_tile[TILE][TILE];
	local float b_tile[TILE][TILE];
	int lx = get_local_id(0);
	int ly = get_local_id(1);
	int column = get_global_id(0);
	int row = get_global_id(1);
	int tiles = n / TILE;
	float sum = 0.0f;

	for (int t = 0; t < tiles; t++) {
		a_tile[ly][lx] = a[row * n + t * TILE + lx];
		b_tile[ly][lx] = b[(t * TILE + ly) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum += a_tile[ly][k] * b_tile[k][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
