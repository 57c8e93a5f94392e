// SPDX-License-Identifier: Apache-2.0
//
// A sum of a few work-items over much data: one chain of additions against four.

__kernel void bad(__global const float *in, __global float *out, uint each)
{
	const uint step = get_global_size(0);
	float sum = 0.0f;

#pragma unroll 1
	for (uint k = 0; k < each; k++)
		sum += in[k * step + get_global_id(0)];
	out[get_global_id(0)] = sum;
}

__kernel void good(__global const float *in, __global float *out, uint each)
{
	const uint step = get_global_size(0);
	float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;

#pragma unroll 1
	for (uint k = 0; k < each; k += 4) {
		a += in[k * step + get_global_id(0)];
		b += in[(k + 1) * step + get_global_id(0)];
		c += in[(k + 2) * step + get_global_id(0)];
		d += in[(k + 3) * step + get_global_id(0)];
	}
	out[get_global_id(0)] = (a + b) + (c + d);
}
