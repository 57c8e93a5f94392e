/* SPDX-License-Identifier: Apache-2.0 */
/* The vertical half of a box filter of RGBA: an item slides the sum of its window down a column; beyond the image
   lie its first and last rows. */
float4 channels(uint c)
{
    return (float4)(c & 0xff, (c >> 8) & 0xff, (c >> 16) & 0xff, (c >> 24) & 0xff);
}

uint pixel(float4 sum, float scale)
{
    uint c = 0;

    c |= 0x000000ff & (uint)(sum.x * scale);
    c |= 0x0000ff00 & ((uint)(sum.y * scale) << 8);
    c |= 0x00ff0000 & ((uint)(sum.z * scale) << 16);
    c |= 0xff000000 & ((uint)(sum.w * scale) << 24);
    return c;
}

__kernel void box_columns(__global const uint *in, __global uint *out, const uint width, const uint height,
                          const int radius, const float scale)
{
    const uint x = get_global_id(0);

    if (x >= width)
        return;
    in += x;
    out += x;

    const float4 top = channels(in[0]), bottom = channels(in[(height - 1) * width]);
    float4 sum = top * (float4)radius;
    for (int y = 0; y < radius + 1; y++)
        sum += channels(in[y * width]);
    out[0] = pixel(sum, scale);
    for (int y = 1; y < radius + 1; y++) {
        sum += channels(in[(y + radius) * width]);
        sum -= top;
        out[y * width] = pixel(sum, scale);
    }
    for (int y = radius + 1; y < (int)height - radius; y++) {
        sum += channels(in[(y + radius) * width]);
        sum -= channels(in[(y - radius - 1) * width]);
        out[y * width] = pixel(sum, scale);
    }
    for (int y = height - radius; y < (int)height; y++) {
        sum += bottom;
        sum -= channels(in[(y - radius - 1) * width]);
        out[y * width] = pixel(sum, scale);
    }
}
