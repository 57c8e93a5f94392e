// SPDX-License-Identifier: Apache-2.0
//
// A matrix by a vector: a row a work-item against a row a work-group, whose work-items read side
// by side and add up in local memory.

#define GROUP 128

__kernel void bad(__global const float *m, __global const float *v, __global float *w, uint width,
                  uint height)
{
	float sum = 0.0f;

	for (uint row = get_global_id(0); row < height; row += get_global_size(0)) {
		sum = 0.0f;
		for (uint x = 0; x < width; x++)
			sum += m[row * width + x] * v[x];
		w[row] = sum;
	}
}

__kernel void good(__global const float *m, __global const float *v, __global float *w, uint width,
                   uint height)
{
	__local float part[GROUP];
	const uint lane = get_local_id(0);

	for (uint row = get_group_id(0); row < height; row += get_num_groups(0)) {
		float sum = 0.0f;
		for (uint x = lane; x < width; x += GROUP)
			sum += m[row * width + x] * v[x];
		part[lane] = sum;
		for (uint step = GROUP / 2; step > 0; step /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			if (lane < step)
				part[lane] += part[lane + step];
		}
		if (lane == 0)
			w[row] = part[0];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
