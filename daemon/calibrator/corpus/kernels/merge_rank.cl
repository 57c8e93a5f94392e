/* SPDX-License-Identifier: Apache-2.0 */
/* where an element of one sorted half goes: its place plus its rank in the other */
kernel void merge_rank(global const int *in, global int *out, int half_length)
{
	int i = get_global_id(0), from = i < half_length ? half_length : 0;
	int value = in[i], low = 0;

	for (int step = half_length; step > 0; step /= 2)
		if (low + step <= half_length && in[from + low + step - 1] < value)
			low += step;
	out[min(i % half_length + low, 2 * half_length - 1)] = value;
}
