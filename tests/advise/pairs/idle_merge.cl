// SPDX-License-Identifier: Apache-2.0
//
// Histograms of pictures merged, 256 bins a group: groups of 1,024, of which 768 wait, against
// 256.

__kernel void bad(__global const int *parts, __global int *out)
{
	const uint bin = get_local_id(0), picture = get_group_id(0);

	if (bin < 256) {
		int sum = 0;
		for (uint k = 0; k < 32; k++)
			sum += parts[(picture * 32 + k) * 256 + bin];
		out[picture * 256 + bin] = sum;
	}
}

__kernel void good(__global const int *parts, __global int *out)
{
	const uint bin = get_local_id(0), picture = get_group_id(0);

	if (bin < 256) {
		int sum = 0;
		for (uint k = 0; k < 32; k++)
			sum += parts[(picture * 32 + k) * 256 + bin];
		out[picture * 256 + bin] = sum;
	}
}
