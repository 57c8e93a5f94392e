/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete cosine transform of blocks of 8 x 8 through local memory; a work-group is SPAN / 8 blocks wide. */
kernel void dct8x8(global const float *in, global float *out, constant float *basis, int width)
{
	local float block[8 * SPAN];
	local float rows[8 * SPAN];
	int lx = get_local_id(0), ly = get_local_id(1);
	int u = lx & 7, left = lx - u;
	int at = get_global_id(1) * width + get_global_id(0);
	float sum = 0.0f;

	block[ly * SPAN + lx] = in[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 8; k++)
		sum += block[ly * SPAN + left + k] * basis[u * 8 + k];
	rows[ly * SPAN + lx] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (int k = 0; k < 8; k++)
		sum += rows[k * SPAN + lx] * basis[ly * 8 + k];
	out[at] = sum;
}
