/* SPDX-License-Identifier: Apache-2.0 */
kernel void adler(global const uchar *text, global uint *sum, int length)
{
	int i = get_global_id(0);
	uint low = 1, high = 0;

	for (int k = 0; k < length; k++) {
		low = (low + text[i * length + k]) % 65521;
		high = (high + low) % 65521;
	}
	sum[i] = high << 16 | low;
}
