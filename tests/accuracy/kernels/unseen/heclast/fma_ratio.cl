/* SPDX-License-Identifier: Apache-2.0 */
/* A given ratio of multiplications with additions to loads: a work-item has four batches of eight numbers, a
   work-group's width apart, and goes ITERATIONS steps with each. Nothing is stored unless the sum is -1. */
#define GRANULARITY 8
#define BATCHES 4

__kernel void fma_ratio(const float step, __global float *data)
{
    const int stride = get_local_size(0);
    const int first = get_group_id(0) * stride * GRANULARITY + get_local_id(0);
    const int far = get_num_groups(0) * stride * GRANULARITY;
    float x[GRANULARITY];

    for (int k = 0; k < BATCHES; k++) {
#pragma unroll
        for (int j = 0; j < GRANULARITY; j++) {
            x[j] = data[first + j * stride + k * far];
#pragma unroll
            for (int i = 0; i < ITERATIONS; i++)
                x[j] = mad(x[j], x[j], step);
        }
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < GRANULARITY; j += 2)
            sum = mad(x[j], x[j + 1], sum);
        if (sum == -1.0f)
            data[first + k * far] = sum;
    }
}
