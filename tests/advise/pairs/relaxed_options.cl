// SPDX-License-Identifier: Apache-2.0
//
// Quotients and roots: built without options against -cl-fast-relaxed-math.

__kernel void bad(__global const float *a, __global const float *b, __global float *out)
{
	const uint i = get_global_id(0);
	float x = a[i], y = b[i];

	for (uint k = 0; k < 16; k++) {
		x = x / (y + 1.0f) + 0.5f;
		y = sqrt(x * x + y * y) / (x + 2.0f);
	}
	out[i] = x + y;
}

__kernel void good(__global const float *a, __global const float *b, __global float *out)
{
	const uint i = get_global_id(0);
	float x = a[i], y = b[i];

	for (uint k = 0; k < 16; k++) {
		x = x / (y + 1.0f) + 0.5f;
		y = sqrt(x * x + y * y) / (x + 2.0f);
	}
	out[i] = x + y;
}
