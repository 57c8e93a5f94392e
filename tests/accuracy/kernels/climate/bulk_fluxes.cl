// SPDX-License-Identifier: Apache-2.0
// Stress and sensible heat between sea and air by Monin-Obukhov similarity, iterated until the friction velocity stays.

#define KARMAN  0.4f
#define GRAVITY 9.81f
#define HEIGHT  10.0f
#define RHO_AIR 1.22f
#define CP_AIR  1004.0f

static float psi_momentum(float zeta)
{
    if (zeta >= 0.0f)
        return -5.0f * zeta;
    float x = sqrt(sqrt(1.0f - 16.0f * zeta));
    return 2.0f * log(0.5f * (1.0f + x)) + log(0.5f * (1.0f + x * x)) - 2.0f * atan(x) + M_PI_2_F;
}

static float psi_heat(float zeta)
{
    if (zeta >= 0.0f)
        return -5.0f * zeta;
    return 2.0f * log(0.5f * (1.0f + sqrt(1.0f - 16.0f * zeta)));
}

__kernel void bulk_fluxes(__global const float2 *wind, __global const float *t_air, __global const float *t_sea,
                          __global const uchar *is_sea, __global float4 *fluxes, int n, int iterations)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    if (is_sea[i] < 80) {
        fluxes[i] = (float4)(0.0f);
        return;
    }

    const float2 v = wind[i];
    const float speed = fmax(length(v), 0.5f);
    const float dt = t_air[i] - t_sea[i];
    const float log_heat = log(HEIGHT / 1.0e-4f);
    float ustar = 0.04f * speed;
    float tstar = KARMAN * dt / log_heat;
    int it = 0;

    for (; it < iterations; it++) {
        float zeta = KARMAN * GRAVITY * HEIGHT * tstar / ((t_air[i] + 273.15f) * ustar * ustar);
        zeta = clamp(zeta, -2.0f, 1.0f);
        const float z0 = 0.011f * ustar * ustar / GRAVITY + 1.5e-5f;
        const float next = KARMAN * speed / (log(HEIGHT / z0) - psi_momentum(zeta));
        tstar = KARMAN * dt / (log_heat - psi_heat(zeta));
        const float change = fabs(next - ustar);
        ustar = next;
        if (change < 1.0e-5f)
            break;
    }

    const float stress = RHO_AIR * ustar * ustar / speed;
    fluxes[i] = (float4)(stress * v.x, stress * v.y, -RHO_AIR * CP_AIR * ustar * tstar, it);
}
