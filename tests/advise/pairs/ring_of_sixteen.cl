// SPDX-License-Identifier: Apache-2.0
//
// A ring of 16 numbers: an array that a variable indexes against one that moves on, in registers.

#define RING 16

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float ring[RING], sum = 0.0f;

	for (uint k = 0; k < RING; k++)
		ring[k] = 0.0f;
	for (uint r = 0; r < rounds; r++) {
		sum += in[r * n + i] - ring[r % RING];
		ring[r % RING] = in[r * n + i];
	}
	out[i] = sum;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float ring[RING], sum = 0.0f;

	for (uint k = 0; k < RING; k++)
		ring[k] = 0.0f;
	for (uint first = 0; first < rounds; first += RING)
#pragma unroll
		for (uint k = 0; k < RING; k++) {
			sum += in[(first + k) * n + i] - ring[k];
			ring[k] = in[(first + k) * n + i];
		}
	out[i] = sum;
}
