// SPDX-License-Identifier: Apache-2.0
//
// What all bodies do to each: bodies that go through local memory against those in the cache.

__kernel void bad(__global const float *at, __global float *out, uint n)
{
	__local float tile[128];
	const uint l = get_local_id(0), i = get_global_id(0);
	const float x = at[i];
	float sum = 0.0f;

	for (uint first = 0; first < n; first += 128) {
		tile[l] = at[first + l];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < 128; k++) {
			const float d = tile[k] - x;

			sum += d / (d * d + 0.01f);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = sum;
}

__kernel void good(__global const float *at, __global float *out, uint n)
{
	const uint i = get_global_id(0);
	const float x = at[i];
	float sum = 0.0f;

	for (uint k = 0; k < n; k++) {
		const float d = at[k] - x;

		sum += d / (d * d + 0.01f);
	}
	out[i] = sum;
}
