/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of consecutive blocks, one block a work-item. */
kernel void sum_blocked(global const float *in, global float *out, int block)
{
	int i = get_global_id(0);
	global const float *from = in + i * block;
	float sum = 0.0f;

	for (int k = 0; k < block; k++)
		sum += from[k];
	out[i] = sum;
}
