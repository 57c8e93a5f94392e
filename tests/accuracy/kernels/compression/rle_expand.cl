/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of bytes back to what they were: a run a work-item, as long as it is. */
kernel void rle_expand(global const uchar *value, global const int *start, global uchar *text, int runs)
{
	int run = get_global_id(0);
	if (run >= runs)
		return;

	uchar byte = value[run];
	int end = start[run + 1];
	for (int i = start[run]; i < end; i++)
		text[i] = byte;
}
