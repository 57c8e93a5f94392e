// SPDX-License-Identifier: Apache-2.0
//
// Sums and dot products: float4 by strides of the whole range, four chains, a tree of consecutive
// work-items.

#define GROUP 256

float tree(float sum, __local float *part)
{
	const uint lane = get_local_id(0);

	part[lane] = sum;
#pragma unroll
	for (uint s = GROUP / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] += part[lane + s];
	}
	return part[0];
}

__kernel void sum(__global const float4 *in, __global float *out, uint n)
{
	__local float part[GROUP];
	float4 sum = 0.0f;

	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		sum += in[i];
	const float all = tree((sum.x + sum.y) + (sum.z + sum.w), part);
	if (get_local_id(0) == 0)
		out[get_group_id(0)] = all;
}

__kernel void dot_product(__global const float4 *a, __global const float4 *b, __global float *out,
                          uint n)
{
	__local float part[GROUP];
	float4 sum = 0.0f;

	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		sum = mad(a[i], b[i], sum);
	const float all = tree((sum.x + sum.y) + (sum.z + sum.w), part);
	if (get_local_id(0) == 0)
		out[get_group_id(0)] = all;
}
