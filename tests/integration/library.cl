// SPDX-License-Identifier: Apache-2.0
// What the example ask.c asks about: two float buffers and a length.
kernel void scale(global const float *from, global float *to, int count)
{
	int i = get_global_id(0);

	if (i < count)
		to[i] = 2 * from[i];
}
