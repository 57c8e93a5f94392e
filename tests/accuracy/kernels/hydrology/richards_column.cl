// SPDX-License-Identifier: Apache-2.0
// Water in soil columns: one implicit step of Richards' equation in the mixed form, after Celia. Retention and
// conductivity are van Genuchten's and Mualem's; the system is linearised about the last iterate until heads stay
// where they are. Flux is given at the surface, drainage is free at the bottom.
// Columns lie beside each other: h[layer * columns + column], in metres.

#define LAYERS 20
#define CLASSES 12

float saturation(float h, float alpha, float n)
{
    return h >= 0.0f ? 1.0f : pow(1.0f + pow(-alpha * h, n), 1.0f / n - 1.0f);
}

float conductivity(float se, float ks, float m)
{
    const float inner = 1.0f - pow(1.0f - pow(fmin(se, 0.9999f), 1.0f / m), m);
    return ks * sqrt(se) * inner * inner;
}

__kernel void richards_column(__global float *head, __global const uchar *soil, __constant float *theta_s,
                              __constant float *theta_r, __constant float *alpha_of, __constant float *n_of,
                              __constant float *ks_of, __global const float *rain, const float dt, const float dz,
                              const int most, const float tolerance, __global float *drained, __global uchar *taken,
                              const int columns)
{
    const int id = get_global_id(0);
    if (id >= columns)
        return;

    const int s = soil[id] % CLASSES;
    const float porosity = theta_s[s] - theta_r[s], alpha = alpha_of[s], n = n_of[s], ks = ks_of[s];
    const float m = 1.0f - 1.0f / n;
    const float storage = 1e-4f;

    float h[LAYERS], before[LAYERS], k[LAYERS], se[LAYERS], upper[LAYERS], right[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        h[l] = head[l * columns + id];
        before[l] = saturation(h[l], alpha, n) * porosity + storage * h[l];
    }

    int iteration = 0;
    float change = 2.0f * tolerance;
    for (; iteration < most && change > tolerance; iteration++) {
        for (int l = 0; l < LAYERS; l++) {
            se[l] = saturation(h[l], alpha, n);
            k[l] = conductivity(se[l], ks, m);
        }

        // Thomas, down
        float k_above = 0.0f;
        for (int l = 0; l < LAYERS; l++) {
            float capacity = storage;
            if (h[l] < 0.0f) {
                const float x = pow(-alpha * h[l], n);
                capacity += porosity * m * n * x / (-h[l]) * se[l] / (1.0f + x);
            }
            const float k_below = l + 1 < LAYERS ? 0.5f * (k[l] + k[l + 1]) : k[l];
            const float to_below = l + 1 < LAYERS ? k_below / dz : 0.0f;
            const float to_above = k_above / dz;
            const float a = -to_above, c = -to_below;
            const float b = capacity * dz / dt + to_above + to_below;
            float d = capacity * dz / dt * h[l] - dz / dt * (se[l] * porosity + storage * h[l] - before[l]) - k_below;
            d += l == 0 ? rain[id] : k_above;
            const float pivot = l == 0 ? b : b - a * upper[l - 1];
            upper[l] = c / pivot;
            right[l] = (l == 0 ? d : d - a * right[l - 1]) / pivot;
            k_above = k_below;
        }

        // and up
        change = 0.0f;
        for (int l = LAYERS - 1; l >= 0; l--) {
            const float next = l + 1 < LAYERS ? right[l] - upper[l] * right[l + 1] : right[l];
            right[l] = next;
            change = fmax(change, fabs(next - h[l]));
            h[l] = next;
        }
    }

    for (int l = 0; l < LAYERS; l++)
        head[l * columns + id] = h[l];
    drained[id] = k[LAYERS - 1] * dt;
    taken[id] = (uchar)iteration;
}
