// SPDX-License-Identifier: Apache-2.0
//
// The nearest of 8 centres: features of a point side by side against those of all points.

__kernel void bad(__global const float *feature, __constant float *centre, __global int *nearest,
                  int points)
{
	const int p = get_global_id(0);
	float least = FLT_MAX;
	int index = 0;

	for (int c = 0; c < 8; c++) {
		float sum = 0.0f;
		for (int f = 0; f < 32; f++) {
			const float d = feature[p * 32 + f] - centre[c * 32 + f];
			sum += d * d;
		}
		index = sum < least ? c : index;
		least = fmin(sum, least);
	}
	nearest[p] = index;
}

__kernel void good(__global const float *feature, __constant float *centre, __global int *nearest,
                   int points)
{
	const int p = get_global_id(0);
	float least = FLT_MAX;
	int index = 0;

	for (int c = 0; c < 8; c++) {
		float sum = 0.0f;
		for (int f = 0; f < 32; f++) {
			const float d = feature[f * points + p] - centre[c * 32 + f];
			sum += d * d;
		}
		index = sum < least ? c : index;
		least = fmin(sum, least);
	}
	nearest[p] = index;
}
