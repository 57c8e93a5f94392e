// SPDX-License-Identifier: Apache-2.0
//
// A table that neighbours read at unlike places: constant memory, one word a time, against local.

__kernel void bad(__global const uchar *in, __constant float *table, __global float *out)
{
	const uint first = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 32; k++)
		sum += table[in[k * get_global_size(0) + first]];
	out[first] = sum;
}

__kernel void good(__global const uchar *in, __constant float *table, __global float *out)
{
	__local float near[256];
	const uint first = get_global_id(0);
	float sum = 0.0f;

	for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
		near[k] = table[k];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 32; k++)
		sum += near[in[k * get_global_size(0) + first]];
	out[first] = sum;
}
