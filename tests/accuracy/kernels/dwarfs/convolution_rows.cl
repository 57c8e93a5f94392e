// SPDX-License-Identifier: Apache-2.0
// Rows of a separable convolution: a work-item has STEPS pixels, BLOCK_X apart, and a work-group's part of the rows is
// in local memory with a step more at each side. Beyond the image there are zeros.
#define RADIUS 8
#define STEPS 8
#define HALO_STEPS 1

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1)))
void convolution_rows(__global float *dst, __global const float *src, __constant float *taps, const int width,
                      const int height, const int pitch)
{
    __local float data[BLOCK_Y][(STEPS + 2 * HALO_STEPS) * BLOCK_X];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int base_x = (get_group_id(0) * STEPS - HALO_STEPS) * BLOCK_X + lx;
    const int base_y = get_group_id(1) * BLOCK_Y + ly;

    src += base_y * pitch + base_x;
    dst += base_y * pitch + base_x;

    for (int i = HALO_STEPS; i < HALO_STEPS + STEPS; i++)
        data[ly][lx + i * BLOCK_X] = src[i * BLOCK_X];
    for (int i = 0; i < HALO_STEPS; i++)
        data[ly][lx + i * BLOCK_X] = base_x + i * BLOCK_X >= 0 ? src[i * BLOCK_X] : 0.0f;
    for (int i = HALO_STEPS + STEPS; i < HALO_STEPS + STEPS + HALO_STEPS; i++)
        data[ly][lx + i * BLOCK_X] = base_x + i * BLOCK_X < width ? src[i * BLOCK_X] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = HALO_STEPS; i < HALO_STEPS + STEPS; i++) {
        float sum = 0.0f;
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * data[ly][lx + i * BLOCK_X + j];
        dst[i * BLOCK_X] = sum;
    }
}
