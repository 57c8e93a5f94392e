/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of 4-bit weights in blocks of 32, each with a scale, times a vector: a row a work-group. */
#define WEIGHT(word, k) ((float)((int)(((word) >> (4 * (k))) & 15) - 8))

kernel void dequant_matvec(global const uint4 *weights, global const float *scales, global const float *vector,
                           global float *out, uint blocks, local float *part)
{
	const uint lid = get_local_id(0), size = get_local_size(0);
	const uint row = get_group_id(0);
	float sum = 0.0f;

	for (uint b = lid; b < blocks; b += size) {
		const uint4 block = weights[row * blocks + b];
		const uint word[4] = {block.x, block.y, block.z, block.w};
		global const float *x = vector + 32 * b;
		float inner = 0.0f;
		for (int w = 0; w < 4; w++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				inner = fma(WEIGHT(word[w], k), x[8 * w + k], inner);
		}
		sum += scales[row * blocks + b] * inner;
	}
	part[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = size / 2; step > 0; step >>= 1) {
		if (lid < step)
			part[lid] += part[lid + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		out[row] = part[0];
}
