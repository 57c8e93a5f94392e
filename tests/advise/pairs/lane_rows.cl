// SPDX-License-Identifier: Apache-2.0
//
// Smoothing within a group: a work-item owns 32 consecutive words of local memory against words
// that lie a group apart.

#define GROUP 64
#define OWN   32

__kernel void bad(__global const float *in, __global float *out, uint rounds)
{
	__local float words[GROUP * OWN];
	const uint lane = get_local_id(0), base = get_group_id(0) * GROUP * OWN;
	float state = 0.0f;

	for (uint k = 0; k < OWN; k++)
		words[lane * OWN + k] = in[base + k * GROUP + lane];
	for (uint r = 0; r < rounds; r++)
		for (uint k = 0; k < OWN; k++) {
			state = 0.5f * (state + words[lane * OWN + k]);
			words[lane * OWN + k] = state;
		}
	out[get_global_id(0)] = state;
}

__kernel void good(__global const float *in, __global float *out, uint rounds)
{
	__local float words[GROUP * OWN];
	const uint lane = get_local_id(0), base = get_group_id(0) * GROUP * OWN;
	float state = 0.0f;

	for (uint k = 0; k < OWN; k++)
		words[k * GROUP + lane] = in[base + k * GROUP + lane];
	for (uint r = 0; r < rounds; r++)
		for (uint k = 0; k < OWN; k++) {
			state = 0.5f * (state + words[k * GROUP + lane]);
			words[k * GROUP + lane] = state;
		}
	out[get_global_id(0)] = state;
}
