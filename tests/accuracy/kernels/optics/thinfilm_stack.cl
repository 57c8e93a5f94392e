// SPDX-License-Identifier: Apache-2.0
// Reflectance and transmittance of a stack of thin films by characteristic matrices, over wavelengths and angles of
// incidence, for both polarisations. Indices are n - ik.

static float2 mul(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static float2 quot(float2 a, float2 b)
{
    const float d = dot(b, b);
    return (float2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / d;
}

// The root whose imaginary part is not positive: waves die out inwards.
static float2 root(float2 a)
{
    const float r = length(a);
    return (float2)(sqrt(fmax(0.5f * (r + a.x), 0.0f)), -sqrt(fmax(0.5f * (r - a.x), 0.0f)));
}

__kernel void thinfilm_stack(__constant float *n, __constant float *k, __constant float *thickness_nm, const int layers,
                             const float substrate, const float first_nm, const float step_nm, const float step_angle,
                             __global float2 *reflectance, __global float2 *transmittance, const int wavelengths)
{
    const int w = get_global_id(0);
    const int a = get_global_id(1);
    if (w >= wavelengths)
        return;
    const float wave = 6.2831853f / (first_nm + w * step_nm);
    const float sine = sin(a * step_angle);
    const float inward = sqrt(1.0f - sine * sine);
    float refl[2], trans[2];

    for (int pol = 0; pol < 2; pol++) {
        float2 cos_out = root((float2)(1.0f - sine * sine / (substrate * substrate), 0.0f));
        const float eta_in = pol ? 1.0f / inward : inward;
        const float2 eta_out = pol ? quot((float2)(substrate, 0.0f), cos_out) : substrate * cos_out;
        float2 b = (float2)(1.0f, 0.0f), c = eta_out;

        for (int l = layers - 1; l >= 0; l--) {
            const float2 index = (float2)(n[l], -k[l]);
            const float2 squared = mul(index, index);
            const float2 normal = root(squared - (float2)(sine * sine, 0.0f));
            const float2 eta = pol ? quot(squared, normal) : normal;
            const float2 delta = normal * (wave * thickness_nm[l]);
            float cr;
            const float sr = sincos(delta.x, &cr);
            const float grow = exp(delta.y), up = 0.5f * (grow + 1.0f / grow), down = 0.5f * (grow - 1.0f / grow);
            const float2 cosine = (float2)(cr * up, -sr * down);
            const float2 i_sine = (float2)(-cr * down, sr * up);
            const float2 next = mul(cosine, b) + mul(i_sine, quot(c, eta));
            c = mul(mul(i_sine, eta), b) + mul(cosine, c);
            b = next;
        }
        const float2 sum = eta_in * b + c;
        const float2 r = quot(eta_in * b - c, sum);
        refl[pol] = dot(r, r);
        trans[pol] = 4.0f * eta_in * eta_out.x / dot(sum, sum);
    }
    reflectance[a * wavelengths + w] = (float2)(refl[0], refl[1]);
    transmittance[a * wavelengths + w] = (float2)(trans[0], trans[1]);
}
