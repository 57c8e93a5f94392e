/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation, a row a work-item: mean and variance in one sweep, then scaled and shifted. */
__kernel void layer_norm(__global const float4 *restrict x, __global float4 *restrict y,
                         __global const float4 *restrict gain, __global const float4 *restrict bias, const int rows,
                         const int vectors, const float epsilon)
{
	const int row = get_global_id(0);
	if (row >= rows)
		return;

	float4 sums = 0.0f, squares = 0.0f;
	for (int k = 0; k < vectors; k++) {
		const float4 v = x[row * vectors + k];
		sums += v;
		squares = mad(v, v, squares);
	}
	const float count = 4.0f * vectors;
	const float mean = (sums.x + sums.y + sums.z + sums.w) / count;
	const float variance = (squares.x + squares.y + squares.z + squares.w) / count - mean * mean;
	const float scale = rsqrt(variance + epsilon);
	for (int k = 0; k < vectors; k++)
		y[row * vectors + k] = (x[row * vectors + k] - mean) * scale * gain[k] + bias[k];
}
