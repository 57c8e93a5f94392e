// SPDX-License-Identifier: Apache-2.0
//
// A rotation within groups: 32 KiB of local memory a group against the 512 bytes that it uses.

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	__local float words[64 * 128];
	const uint lane = get_local_id(0);
	float value = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[(r & 1) * 64 * 64 + lane] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
		value = 0.5f * (value + words[(r & 1) * 64 * 64 + ((lane + 1) & 63)]);
	}
	out[get_global_id(0)] = value;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	__local float words[2 * 64];
	const uint lane = get_local_id(0);
	float value = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[(r & 1) * 64 + lane] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
		value = 0.5f * (value + words[(r & 1) * 64 + ((lane + 1) & 63)]);
	}
	out[get_global_id(0)] = value;
}
