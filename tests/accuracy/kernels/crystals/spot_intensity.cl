/* SPDX-License-Identifier: Apache-2.0 */
/* Integrates spots of a detector frame, a work-group each: the level of the background from the rim of the box, then
   what the disc in its middle has above it. Pixels that are dead (0xffff) are left out; spots with saturated ones
   are flagged. */
#define HALF 8
#define SIDE (2 * HALF + 1)

#define SPOT_OK        0
#define SPOT_SATURATED 1
#define SPOT_NO_RIM    2

float sum_of_group(__local float *scratch, float mine)
{
    const int lid = get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[lid] = mine;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            scratch[lid] += scratch[lid + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return scratch[0];
}

__kernel void spot_intensity(__global const ushort *frame, const int width, const int height,
                             __global const float2 *predicted, const float radius, const float gap, const ushort limit,
                             __global float2 *measured, __global uchar *flags, __local float *scratch)
{
    const int spot = get_group_id(0);
    const float2 at = predicted[spot];
    const int x0 = (int)at.x - HALF, y0 = (int)at.y - HALF;

    float rim = 0.0f, rim_pixels = 0.0f, disc = 0.0f, disc_pixels = 0.0f, saturated = 0.0f;
    for (int k = get_local_id(0); k < SIDE * SIDE; k += get_local_size(0)) {
        const int x = x0 + k % SIDE, y = y0 + k / SIDE;
        if (x < 0 || x >= width || y < 0 || y >= height)
            continue;
        const ushort value = frame[y * width + x];
        if (value == 0xffff)
            continue;
        const float apart = distance((float2)(x + 0.5f, y + 0.5f), at);
        if (apart <= radius) {
            disc += value;
            disc_pixels += 1.0f;
            if (value >= limit)
                saturated = 1.0f;
        } else if (apart > radius + gap) {
            rim += value;
            rim_pixels += 1.0f;
        }
    }
    rim = sum_of_group(scratch, rim);
    rim_pixels = sum_of_group(scratch, rim_pixels);
    disc = sum_of_group(scratch, disc);
    disc_pixels = sum_of_group(scratch, disc_pixels);
    saturated = sum_of_group(scratch, saturated);

    if (get_local_id(0) == 0) {
        if (rim_pixels < 10.0f) {
            measured[spot] = (float2)(0.0f, -1.0f);
            flags[spot] = SPOT_NO_RIM;
        } else {
            const float level = rim / rim_pixels;
            const float below = level * disc_pixels;
            measured[spot] = (float2)(disc - below, sqrt(disc + below * disc_pixels / rim_pixels));
            flags[spot] = saturated > 0.0f ? SPOT_SATURATED : SPOT_OK;
        }
    }
}
