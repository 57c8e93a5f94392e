// SPDX-License-Identifier: Apache-2.0
// Kernels of four kinds, each over n floats.

// memory-bound: a triad
__kernel void triad(__global float *y, __global const float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i] = a * x[i] + y[i];
}

// compute-bound: a polynomial of degree 128 by Horner's rule
__kernel void polynomial(__global float *y, __global const float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float v = x[i], sum = a;
	for (int k = 0; k < 128; k++)
		sum = sum * v + a;
	y[i] = sum;
}

// branchy: how often a number is halved or tripled until it is 1, 100 times at most
__kernel void collatz(__global float *y, __global const float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	uint v = i + 1, steps = 0;
	while (v != 1 && steps < 100) {
		v = (v & 1) ? 3 * v + 1 : v / 2;
		steps++;
	}
	y[i] = a * (float)steps + x[i];
}

// launch-bound: one number of a thousand
__kernel void touch(__global float *y, __global const float *x, uint n, float a)
{
	uint i = get_global_id(0) * 1024;
	if (i < n)
		y[i] += a * x[i];
}

// reused from a cache: a window of nine
__kernel void window(__global float *y, __global const float *x, uint n, float a)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float sum = 0;
	for (int k = -4; k <= 4; k++)
		sum += x[min(max((int)i + k, 0), (int)n - 1)];
	y[i] = a * sum;
}
