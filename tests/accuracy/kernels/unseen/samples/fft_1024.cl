// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 1024 points in place, 64 work-items each: five passes of radix four, four butterflies a
// work-item in vectors, and points change hands through local memory, real parts first.
#define POINTS 1024
#define PITCH (POINTS + POINTS / 32)
#define PADDED(i) ((i) + ((i) >> 5))

void scatter(__local float *to, uint4 at, uint span, float4 a, float4 b, float4 c, float4 d)
{
    to[PADDED(at.x)] = a.x;
    to[PADDED(at.y)] = a.y;
    to[PADDED(at.z)] = a.z;
    to[PADDED(at.w)] = a.w;
    at += span;
    to[PADDED(at.x)] = b.x;
    to[PADDED(at.y)] = b.y;
    to[PADDED(at.z)] = b.z;
    to[PADDED(at.w)] = b.w;
    at += span;
    to[PADDED(at.x)] = c.x;
    to[PADDED(at.y)] = c.y;
    to[PADDED(at.z)] = c.z;
    to[PADDED(at.w)] = c.w;
    at += span;
    to[PADDED(at.x)] = d.x;
    to[PADDED(at.y)] = d.y;
    to[PADDED(at.z)] = d.z;
    to[PADDED(at.w)] = d.w;
}

float4 gather(__local const float *from, uint at)
{
    return (float4)(from[PADDED(at)], from[PADDED(at + 1)], from[PADDED(at + 2)], from[PADDED(at + 3)]);
}

#define TWIST(re, im, c, s)                     \
    do {                                        \
        const float4 turned = re * c - im * s;  \
        im = re * s + im * c;                   \
        re = turned;                            \
    } while (0)

__kernel void fft_1024(__global float *real, __global float *imaginary, __local float *exchange)
{
    const uint me = get_local_id(0) % 64;
    const uint transform = get_global_id(0) / 64;
    __local float *lds = exchange + get_local_id(0) / 64 * PITCH;
    __global float4 *gr = (__global float4 *)(real + transform * POINTS) + me;
    __global float4 *gi = (__global float4 *)(imaginary + transform * POINTS) + me;
    const uint4 j = 4 * me + (uint4)(0, 1, 2, 3);

    float4 r0 = gr[0], r1 = gr[64], r2 = gr[128], r3 = gr[192];
    float4 i0 = gi[0], i1 = gi[64], i2 = gi[128], i3 = gi[192];

    for (uint span = 1; span <= POINTS / 4; span *= 4) {
        const uint4 k = j & (span - 1);
        if (span > 1) {
            const float4 angle = convert_float4(k) * (-6.28318531f / (4 * span));
            float4 c = native_cos(angle), s = native_sin(angle);
            TWIST(r1, i1, c, s);
            c = native_cos(2.0f * angle), s = native_sin(2.0f * angle);
            TWIST(r2, i2, c, s);
            c = native_cos(3.0f * angle), s = native_sin(3.0f * angle);
            TWIST(r3, i3, c, s);
        }
        const float4 ar = r0 + r2, ai = i0 + i2, br = r0 - r2, bi = i0 - i2;
        const float4 cr = r1 + r3, ci = i1 + i3, dr = i1 - i3, di = r3 - r1;
        r0 = ar + cr, i0 = ai + ci;
        r1 = br + dr, i1 = bi + di;
        r2 = ar - cr, i2 = ai - ci;
        r3 = br - dr, i3 = bi - di;

        const uint4 to = 4 * (j - k) + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        scatter(lds, to, span, r0, r1, r2, r3);
        barrier(CLK_LOCAL_MEM_FENCE);
        r0 = gather(lds, 4 * me);
        r1 = gather(lds, 4 * me + 256);
        r2 = gather(lds, 4 * me + 512);
        r3 = gather(lds, 4 * me + 768);
        barrier(CLK_LOCAL_MEM_FENCE);
        scatter(lds, to, span, i0, i1, i2, i3);
        barrier(CLK_LOCAL_MEM_FENCE);
        i0 = gather(lds, 4 * me);
        i1 = gather(lds, 4 * me + 256);
        i2 = gather(lds, 4 * me + 512);
        i3 = gather(lds, 4 * me + 768);
    }
    gr[0] = r0, gr[64] = r1, gr[128] = r2, gr[192] = r3;
    gi[0] = i0, gi[64] = i1, gi[128] = i2, gi[192] = i3;
}
