// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices: one result a work-item against four below each other, which share what
// they read of the second matrix.

__kernel void bad(__global const float *a, __global const float *b, __global float *c, int n)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += a[y * n + k] * b[k * n + x];
	c[y * n + x] = sum;
}

__kernel void good(__global const float *a, __global const float *b, __global float *c, int n)
{
	const int x = get_global_id(0), y = 4 * get_global_id(1);
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;

	for (int k = 0; k < n; k++) {
		const float of = b[k * n + x];

		s0 += a[y * n + k] * of;
		s1 += a[(y + 1) * n + k] * of;
		s2 += a[(y + 2) * n + k] * of;
		s3 += a[(y + 3) * n + k] * of;
	}
	c[y * n + x] = s0;
	c[(y + 1) * n + x] = s1;
	c[(y + 2) * n + x] = s2;
	c[(y + 3) * n + x] = s3;
}
