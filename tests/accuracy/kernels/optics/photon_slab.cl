// SPDX-License-Identifier: Apache-2.0
// Photons in layered tissue: packets hop, drop weight and scatter after Henyey and Greenstein until they leave or
// lose at roulette. Absorbed weight goes to a grid of depth and radius in fixed point. Lengths in mm.

#define RADII  64
#define DEPTHS 64
#define FIXED  1048576.0f
#define TISSUE 1.37f

float uniform_draw(uint4 *s)
{
    uint t = s->x ^ (s->x << 11);
    s->x = s->y; s->y = s->z; s->z = s->w;
    s->w ^= (s->w >> 19) ^ t ^ (t >> 8);
    return ((s->w >> 8) + 0.5f) * 0x1p-24f;
}

// Of unpolarised light from tissue to air
float fresnel(float cosine)
{
    const float sine_out = TISSUE * sqrt(1.0f - cosine * cosine);
    if (sine_out >= 1.0f) return 1.0f;
    const float out = sqrt(1.0f - sine_out * sine_out);
    const float s = (TISSUE * cosine - out) / (TISSUE * cosine + out);
    const float p = (cosine - TISSUE * out) / (cosine + TISSUE * out);
    return 0.5f * (s * s + p * p);
}

__kernel void photon_slab(__constant float *mu_a, __constant float *mu_s, __constant float *anisotropy,
                          __constant int *edges, const float unit_mm, const int layers, const float bin_mm,
                          const int photons, const uint salt, __global uint *absorbed, __global uint *left)
{
    const uint id = get_global_id(0);
    uint4 state = (uint4)(id * 2654435761u + 1u, salt, id ^ 0x9e3779b9u, 88675123u);
    for (int k = 0; k < 8; k++) uniform_draw(&state);

    for (int photon = 0; photon < photons; photon++) {
        float3 at = (float3)(0.0f), to = (float3)(0.0f, 0.0f, 1.0f);
        float weight = 1.0f, hop = 0.0f;
        int layer = 0;

        while (weight > 0.0f) {
            if (hop <= 0.0f) hop = -log(uniform_draw(&state));
            const float total = mu_a[layer] + mu_s[layer];
            const float edge = unit_mm * (to.z > 0.0f ? edges[layer + 1] : edges[layer]);
            const float reach = fabs(to.z) > 1e-6f ? fmax((edge - at.z) / to.z, 0.0f) : INFINITY;

            if (hop > reach * total) {                      // to the next layer, or out
                at += reach * to;
                hop -= reach * total;
                const int beyond = layer + (to.z > 0.0f ? 1 : -1);
                if (beyond >= 0 && beyond < layers) {
                    layer = beyond;
                    at.z = edge;
                } else if (uniform_draw(&state) <= fresnel(fabs(to.z))) {
                    to.z = -to.z;
                } else {
                    atomic_add(&left[beyond > 0], (uint)(weight * FIXED));
                    weight = 0.0f;
                }
                continue;
            }

            at += hop / total * to;
            hop = 0.0f;
            const float drop = weight * mu_a[layer] / total;
            weight -= drop;
            const int r = min((int)(sqrt(at.x * at.x + at.y * at.y) / bin_mm), RADII - 1);
            const int z = clamp((int)(at.z / bin_mm), 0, DEPTHS - 1);
            atomic_add(&absorbed[z * RADII + r], (uint)(drop * FIXED));

            const float g = anisotropy[layer];
            const float h = (1.0f - g * g) / (1.0f - g + 2.0f * g * uniform_draw(&state));
            const float cosine = clamp((1.0f + g * g - h * h) / (2.0f * g), -1.0f, 1.0f);
            const float sine = sqrt(1.0f - cosine * cosine);
            float cos_phi;
            const float sin_phi = sincos(6.2831853f * uniform_draw(&state), &cos_phi);
            if (fabs(to.z) > 0.9999f) {
                to = (float3)(sine * cos_phi, sine * sin_phi, to.z > 0.0f ? cosine : -cosine);
            } else {
                const float flat = sqrt(1.0f - to.z * to.z);
                to = (float3)(sine * (to.x * to.z * cos_phi - to.y * sin_phi) / flat + to.x * cosine,
                              sine * (to.y * to.z * cos_phi + to.x * sin_phi) / flat + to.y * cosine,
                              -sine * cos_phi * flat + to.z * cosine);
            }
            to = normalize(to);
            if (weight < 0.01f)
                weight = uniform_draw(&state) < 0.1f ? weight * 10.0f : 0.0f;
        }
    }
}
