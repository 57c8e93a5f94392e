// SPDX-License-Identifier: Apache-2.0
//
// A filter over what a group keeps: 32 KiB, brought at once, against 4 KiB at a time.

#define GROUP 64
#define WORDS 8192
#define PART  1024

__kernel void bad(__global const float *in, __global float *out)
{
	__local float tile[WORDS];
	const uint lane = get_local_id(0), first = get_group_id(0) * WORDS;
	float sum = 0.0f;

	for (uint k = lane; k < WORDS; k += GROUP)
		tile[k] = in[first + k];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = lane; k < WORDS; k += GROUP)
		sum = 0.75f * sum + tile[k ^ 1] * tile[k ^ 32];
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *in, __global float *out)
{
	__local float tile[PART];
	const uint lane = get_local_id(0), first = get_group_id(0) * WORDS;
	float sum = 0.0f;

	for (uint part = 0; part < WORDS; part += PART) {
		for (uint k = lane; k < PART; k += GROUP)
			tile[k] = in[first + part + k];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = lane; k < PART; k += GROUP)
			sum = 0.75f * sum + tile[k ^ 1] * tile[k ^ 32];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}
