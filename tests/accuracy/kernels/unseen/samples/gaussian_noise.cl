// SPDX-License-Identifier: Apache-2.0
// Gaussian noise on RGBA images: pixels seed Park and Miller's generator, shuffled after Bays and Durham by a table in
// local memory; two numbers make two deviates after Box and Muller, for two rows.
#define TABLE 4
#define MODULUS 2147483647
#define QUOTIENT 127773
#define SHARE (1 + (MODULUS - 1) / TABLE)

int park_miller(int state)
{
    const int k = state / QUOTIENT;
    state = 16807 * (state - k * QUOTIENT) - 2836 * k;
    return state < 0 ? state + MODULUS : state;
}

float uniform_of(int state, __local int *table)
{
    for (int j = TABLE; j >= 0; j--) {
        state = park_miller(state);
        if (j < TABLE)
            table[j] = state;
    }
    state = park_miller(state);
    const int j = table[0] / SHARE;
    const int drawn = table[j];
    table[j] = state;
    return drawn * (1.0f / (float)MODULUS);
}

__kernel void gaussian_noise(__global const uchar4 *input, __global uchar4 *output, const int factor,
                             __local int *tables)
{
    const int at = get_global_id(0) + 2 * get_global_size(0) * get_global_id(1);
    const int below = at + get_global_size(0);
    __local int *table = tables + TABLE * (get_local_id(1) * get_local_size(0) + get_local_id(0));

    const float4 pixel0 = convert_float4(input[at]), pixel1 = convert_float4(input[below]);
    const int seed0 = (int)((pixel0.x + pixel0.y + pixel0.z + pixel0.w) / 4.0f);
    const int seed1 = (int)((pixel1.x + pixel1.y + pixel1.z + pixel1.w) / 4.0f);
    const float u0 = uniform_of(-seed0, table);
    const float u1 = uniform_of(-seed1, table);

    const float radius = sqrt(-2.0f * log(u0)), angle = 6.28318531f * u1;
    output[at] = convert_uchar4_sat(pixel0 + (float4)(radius * sin(angle) * factor));
    output[below] = convert_uchar4_sat(pixel1 + (float4)(radius * cos(angle) * factor));
}
