// SPDX-License-Identifier: Apache-2.0
//
// Rings of 64 work-items that pass numbers on: 16 rings a group, which wait for each other, against
// a group of 64.

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	__local float words[2][1024];
	const uint lane = get_local_id(0), next = (lane & ~63u) + ((lane + 1) & 63u);
	float value = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[r & 1][lane] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
		value = 0.5f * value + 0.5f * words[r & 1][next];
	}
	out[get_global_id(0)] = value;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	__local float words[2][64];
	const uint lane = get_local_id(0), next = (lane + 1) & 63u;
	float value = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[r & 1][lane] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
		value = 0.5f * value + 0.5f * words[r & 1][next];
	}
	out[get_global_id(0)] = value;
}
