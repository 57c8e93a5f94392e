/* SPDX-License-Identifier: Apache-2.0 */
/* A square tile read by columns: without padding all lanes of a warp meet in one bank. */
// launch: global=1024,1024 local=32,32 args=buffer:4M:r,buffer:4M:w,int:1024
// expect: kernel columns_of_tile
// expect: ways tile 32
// expect: ways padded 1
// expect: load tile local
// expect: store padded local
// expect: accesses 6
// expect: barriers 1
// expect: local_bytes 8320
// expect: ir array local float tile 4096
// expect: ir array local float padded 4224
kernel void columns_of_tile(global const float *in, global float *out, int width)
{
	local float tile[32][32];
	local float padded[32][33];
	int x = get_local_id(0);
	int y = get_local_id(1);
	int i = (int)get_global_id(1) * width + (int)get_global_id(0);
	float value = in[i];

	tile[y][x] = value;
	padded[y][x] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[x][y] + padded[x][y];
}
