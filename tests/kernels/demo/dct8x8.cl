/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The discrete cosine transform of 8 x 8 blocks: each work-group holds one
 * block in local memory and transforms its rows, then its columns.
 */
// launch: global=1024,1024 local=8,8 args=buffer:4M:r,buffer:4M:w,int:1024
// expect: kernel dct8x8
// expect: trips 41 8
// expect: trips 46 8
// expect: written mul.float 16
// expect: written add.float 16
// expect: load block local
// expect: load rows local
// expect: store rows local
// expect: barriers 2
// expect: local_bytes 512
constant float cosines[64] = {
        0.35355339f, 0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,
        0.35355339f, 0.35355339f,  0.49039264f,  0.41573481f,  0.27778512f,  0.09754516f,
        -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f, 0.46193977f,  0.19134172f,
        -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f,  0.46193977f,
        0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f,  0.49039264f,
        0.09754516f, -0.41573481f, 0.35355339f,  -0.35355339f, -0.35355339f, 0.35355339f,
        0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f,  0.27778512f,  -0.49039264f,
        0.09754516f, 0.41573481f,  -0.41573481f, -0.09754516f, 0.49039264f,  -0.27778512f,
        0.19134172f, -0.46193977f, 0.46193977f,  -0.19134172f, -0.19134172f, 0.46193977f,
        -0.46193977f, 0.19134172f, 0.09754516f,  -0.27778512f, 0.41573481f,  -0.49039264f,
        0.49039264f, -0.41573481f, 0.27778512f,  -0.09754516f};

kernel void dct8x8(global const float *in, global float *out, int width)
{
	local float block[8][8];
	local float rows[8][8];
	int x = get_local_id(0);
	int y = get_local_id(1);
	int i = (int)get_global_id(1) * width + (int)get_global_id(0);
	float sum = 0.0f;

	block[y][x] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 8; k++)
		sum += cosines[x * 8 + k] * block[y][k];
	rows[y][x] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (int j = 0; j < 8; j++)
		sum += cosines[y * 8 + j] * rows[j][x];
	out[i] = sum;
}
