// SPDX-License-Identifier: Apache-2.0
// A receiver of two antennas and two layers: per subcarrier the MMSE estimate of both 64-QAM symbols, without bias,
// and the reliability of their six bits each (max-log, Gray mapping of 3GPP), as 8-bit integers.

typedef struct {
    float2 h[2][2]; /* antenna, layer */
} channel_t;

inline float2 mul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

inline float2 conj_mul(float2 a, float2 b)
{
    return (float2)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

/* Bits of one axis: levels are odd multiples of `unit`, from -7 to 7. */
inline float3 demap(float x, float unit, float scale)
{
    const float outer = 4.0f * unit - fabs(x);
    const float inner = 2.0f * unit - fabs(outer);
    return (float3)(x, outer, inner) * (scale * unit);
}

__kernel void mimo_demap(__global const channel_t *channel, __global const float4 *received, const float noise,
                         __global char *soft, const int subcarriers)
{
    const int k = get_global_id(0);
    if (k >= subcarriers)
        return;

    const channel_t c = channel[k];
    const float2 y0 = received[k].lo, y1 = received[k].hi;

    /* G = H^H H + noise, z = H^H y */
    const float power0 = dot(c.h[0][0], c.h[0][0]) + dot(c.h[1][0], c.h[1][0]);
    const float power1 = dot(c.h[0][1], c.h[0][1]) + dot(c.h[1][1], c.h[1][1]);
    const float2 cross01 = conj_mul(c.h[0][0], c.h[0][1]) + conj_mul(c.h[1][0], c.h[1][1]);
    const float2 z0 = conj_mul(c.h[0][0], y0) + conj_mul(c.h[1][0], y1);
    const float2 z1 = conj_mul(c.h[0][1], y0) + conj_mul(c.h[1][1], y1);

    const float g0 = power0 + noise, g1 = power1 + noise;
    const float over = 1.0f / (g0 * g1 - dot(cross01, cross01));
    const float2 x0 = (g1 * z0 - mul(cross01, z1)) * over;
    const float2 x1 = (g0 * z1 - conj_mul(cross01, z0)) * over;

    const float bias[2] = {1.0f - noise * g1 * over, 1.0f - noise * g0 * over};
    const float2 symbol[2] = {x0 / bias[0], x1 / bias[1]};
    const float unit = 0.1543033f; /* 1 / sqrt(42) */

    for (int layer = 0; layer < 2; ++layer) {
        const float scale = 4.0f * bias[layer] / (1.0f - bias[layer]);
        const float3 right = demap(symbol[layer].x, unit, scale), up = demap(symbol[layer].y, unit, scale);
        __global char *to = soft + 12 * k + 6 * layer;
        to[0] = convert_char_sat_rte(right.x);
        to[1] = convert_char_sat_rte(up.x);
        to[2] = convert_char_sat_rte(right.y);
        to[3] = convert_char_sat_rte(up.y);
        to[4] = convert_char_sat_rte(right.z);
        to[5] = convert_char_sat_rte(up.z);
    }
}
