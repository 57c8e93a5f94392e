// SPDX-License-Identifier: Apache-2.0
//
// The nearest of 8 centres, features of all points side by side, centres in constant memory.

__kernel void nearest(__global const float *feature, __constant float *centre, __global int *out,
                      uint points)
{
	const uint p = get_global_id(0);
	float sum[8];

#pragma unroll
	for (uint c = 0; c < 8; c++)
		sum[c] = 0.0f;
	for (uint f = 0; f < 32; f++) {
		const float own = feature[f * points + p];
#pragma unroll
		for (uint c = 0; c < 8; c++) {
			const float d = own - centre[f * 8 + c];
			sum[c] = mad(d, d, sum[c]);
		}
	}
	float least = sum[0];
	int index = 0;
#pragma unroll
	for (int c = 1; c < 8; c++) {
		index = sum[c] < least ? c : index;
		least = fmin(sum[c], least);
	}
	out[p] = index;
}
