// SPDX-License-Identifier: Apache-2.0
//
// Sums of groups, level by level: partners that lie ever further apart, of which every 2nd, 4th ...
// work-item has one, against the first half that adds the second.

#define GROUP 256

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	__local float words[GROUP];
	const uint lane = get_local_id(0);
	float sum = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[lane] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint apart = 1; apart < GROUP; apart *= 2) {
			const uint at = 2 * apart * lane;

			if (at < GROUP)
				words[at] += words[at + apart];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		sum = 0.5f * sum + 0.001f * words[0];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	__local float words[GROUP];
	const uint lane = get_local_id(0);
	float sum = in[get_global_id(0)];

	for (uint r = 0; r < rounds; r++) {
		words[lane] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint apart = GROUP / 2; apart > 0; apart /= 2) {
			if (lane < apart)
				words[lane] += words[lane + apart];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		sum = 0.5f * sum + 0.001f * words[0];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}
