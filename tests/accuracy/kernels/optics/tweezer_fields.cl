// SPDX-License-Identifier: Apache-2.0
// Holographic optical tweezers, one half of a weighted Gerchberg-Saxton iteration: the field that the modulator's 8-bit
// phases make at each trap, a work-group per trap, and the weight that the trap has from now on.

#define PIXELS_PER_TURN 256.0f

__kernel void tweezer_fields(__global const uchar *phases, const int side, __global const float4 *traps,
                             __global const float *lookup, const float mean, __global float *weights,
                             __global float2 *fields, __local float2 *scratch)
{
    __local float table[256];
    const int lid = get_local_id(0);
    const int size = get_local_size(0);
    const int trap = get_group_id(0);
    const float4 at = traps[trap];          // tilts in turns per pixel, focus in turns per squared pixel

    for (int k = lid; k < 256; k += size)
        table[k] = lookup[k] / PIXELS_PER_TURN;
    barrier(CLK_LOCAL_MEM_FENCE);

    float2 sum = (float2)(0.0f);
    for (int k = lid * 4; k < side * side; k += size * 4) {
        const uchar4 four = vload4(k >> 2, phases);
        const float y = (float)(k / side) - 0.5f * side;
        const float4 x = (float)(k % side) - 0.5f * side + (float4)(0.0f, 1.0f, 2.0f, 3.0f);
        const float4 phase = (float4)(table[four.x], table[four.y], table[four.z], table[four.w]);
        const float4 turn = phase - (at.x * x + at.y * y + at.z * (x * x + y * y));
        float4 cosine;
        const float4 sine = sincos(6.2831853f * (turn - floor(turn)), &cosine);
        sum += (float2)(dot(cosine, (float4)(1.0f)), dot(sine, (float4)(1.0f)));
    }
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = size >> 1; half_size > 0; half_size >>= 1) {
        if (lid < half_size)
            scratch[lid] += scratch[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        const float2 field = scratch[0] / (side * side);
        fields[trap] = field;
        weights[trap] *= mean / fmax(length(field), 1e-6f);
    }
}
