// SPDX-License-Identifier: Apache-2.0
//
// A product of a row and a vector: one sum, each addition of which waits, against eight.

__kernel void bad(__global const float *in, __global const float *x, __global float *out, int n)
{
	__global const float *row = in + get_global_id(0) * n;
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum += row[k] * x[k];
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *in, __global const float *x, __global float *out, int n)
{
	__global const float *row = in + get_global_id(0) * n;
	float8 sums = 0.0f;

	for (int k = 0; k < n; k += 8)
		sums += vload8(0, row + k) * vload8(0, x + k);
	const float4 s = sums.lo + sums.hi;

	out[get_global_id(0)] = (s.x + s.y) + (s.z + s.w);
}
