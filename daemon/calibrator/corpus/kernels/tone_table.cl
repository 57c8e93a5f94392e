/* SPDX-License-Identifier: Apache-2.0 */
kernel void tone_table(global const uchar *in, constant float *table, global float *out)
{
	size_t i = get_global_id(0);

	out[i] = table[in[i]];
}
