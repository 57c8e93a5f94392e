// SPDX-License-Identifier: Apache-2.0
//
// The energy of a chunk: one sum against four, added up at the end.

__kernel void bad(__global const float *in, __global float *out, int n)
{
	__global const float *of = in + get_global_id(0) * n;
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += of[k] * of[k];
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *in, __global float *out, int n)
{
	__global const float *of = in + get_global_id(0) * n;
	float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;

	for (int k = 0; k < n; k += 4) {
		a += of[k] * of[k];
		b += of[k + 1] * of[k + 1];
		c += of[k + 2] * of[k + 2];
		d += of[k + 3] * of[k + 3];
	}
	out[get_global_id(0)] = (a + b) + (c + d);
}
