// SPDX-License-Identifier: Apache-2.0
// Discrete cosine transforms of blocks of 8 x 8: a work-item transforms a column of eight in registers, then, through
// local memory, a row. A work-group has BLOCK_X x BLOCK_Y pixels.
#define SIDE 8
#define PITCH (BLOCK_X + 1)

// Square root of two by cosines of sixteenths of pi; 1 / sqrt(8).
#define C1 1.3870398f
#define C2 1.3065630f
#define C3 1.1758756f
#define C5 0.7856950f
#define C6 0.5411961f
#define C7 0.2758994f
#define SCALE 0.35355339f

void transform(float *d)
{
    const float s07 = d[0] + d[7], s16 = d[1] + d[6], s25 = d[2] + d[5], s34 = d[3] + d[4];
    const float d07 = d[0] - d[7], d16 = d[1] - d[6], d25 = d[2] - d[5], d34 = d[3] - d[4];
    const float outer = s07 + s34, inner = s16 + s25, outer_less = s07 - s34, inner_less = s16 - s25;

    d[0] = SCALE * (outer + inner);
    d[4] = SCALE * (outer - inner);
    d[2] = SCALE * (C2 * outer_less + C6 * inner_less);
    d[6] = SCALE * (C6 * outer_less - C2 * inner_less);
    d[1] = SCALE * (C1 * d07 + C3 * d16 + C5 * d25 + C7 * d34);
    d[3] = SCALE * (C3 * d07 - C7 * d16 - C1 * d25 - C5 * d34);
    d[5] = SCALE * (C5 * d07 - C1 * d16 + C7 * d25 + C3 * d34);
    d[7] = SCALE * (C7 * d07 - C5 * d16 + C3 * d25 - C1 * d34);
}

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y / SIDE, 1)))
void dct_columns_rows(__global float *dst, __global const float *src, const uint stride, const uint height,
                      const uint width)
{
    __local float transposed[BLOCK_Y * PITCH];
    const uint lx = get_local_id(0), ly = SIDE * get_local_id(1), column = lx & (SIDE - 1);
    const uint x = get_group_id(0) * BLOCK_X + lx;
    const uint y = get_group_id(1) * BLOCK_Y + ly;

    if (x - column + SIDE - 1 >= width || y + SIDE - 1 >= height)
        return;

    __local float *down = transposed + ly * PITCH + lx;
    __local float *along = transposed + (ly + column) * PITCH + lx - column;
    src += y * stride + x;
    dst += y * stride + x;

    float d[SIDE];
    for (uint i = 0; i < SIDE; i++)
        d[i] = src[i * stride];
    transform(d);
    for (uint i = 0; i < SIDE; i++)
        down[i * PITCH] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = 0; i < SIDE; i++)
        d[i] = along[i];
    transform(d);
    for (uint i = 0; i < SIDE; i++)
        along[i] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = 0; i < SIDE; i++)
        dst[i * stride] = down[i * PITCH];
}
