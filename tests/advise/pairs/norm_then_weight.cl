// SPDX-License-Identifier: Apache-2.0
//
// The root mean square of rows, then weights: two launches against one.

float root_mean(__global const float *x, __local float *part)
{
	const uint lane = get_local_id(0), size = get_local_size(0);
	float sum = 0.0f;

	for (uint k = lane; k < 512; k += size)
		sum += x[k] * x[k];
	part[lane] = sum;
	for (uint s = size / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] += part[lane + s];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	return rsqrt(part[0] / 512.0f + 1e-6f);
}

__kernel void norm(__global const float *x, __global const float *weight, __global float *between,
                   __global float *out)
{
	__local float part[64];
	const uint row = get_group_id(0) * 512;
	const float scale = root_mean(x + row, part);

	for (uint k = get_local_id(0); k < 512; k += 64)
		between[row + k] = x[row + k] * scale;
}

__kernel void multiply(__global const float *x, __global const float *weight,
                       __global float *between, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = between[i] * weight[i % 512];
}

__kernel void good(__global const float *x, __global const float *weight, __global float *between,
                   __global float *out)
{
	__local float part[64];
	const uint row = get_group_id(0) * 512;
	const float scale = root_mean(x + row, part);

	for (uint k = get_local_id(0); k < 512; k += 64)
		out[row + k] = x[row + k] * scale * weight[k];
}
