// SPDX-License-Identifier: Apache-2.0
// Levels of a Haar wavelet transform in one dimension: a work-group halves two values a work-item until one is left,
// which the next launch goes on with.
#define INV_SQRT2 0.70710678f

__kernel void dwt_haar(__global const float *signal, __global float *coefficients, __global float *average,
                       __local float *shared, const uint total_levels, const uint length, const uint levels_done,
                       const uint levels_max)
{
    const size_t lid = get_local_id(0), group = get_group_id(0), size = get_local_size(0);

    float a = signal[group * size * 2 + lid];
    float b = signal[group * size * 2 + size + lid];
    if (levels_done == 0) {
        const float scale = rsqrt((float)length);
        a *= scale;
        b *= scale;
    }
    shared[lid] = a;
    shared[size + lid] = b;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint levels = total_levels > levels_max ? levels_max : total_levels;
    uint active = (1u << levels) / 2, middle = length / 2;
    for (uint level = 0; level < levels; ++level) {
        float left = 0.0f, right = 0.0f;
        if (lid < active) {
            left = shared[2 * lid];
            right = shared[2 * lid + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active) {
            shared[lid] = (left + right) * INV_SQRT2;
            coefficients[middle + group * active + lid] = (left - right) * INV_SQRT2;
            middle >>= 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        active >>= 1;
    }
    if (lid == 0)
        average[group] = shared[0];
}
