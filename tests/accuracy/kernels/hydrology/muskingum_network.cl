// SPDX-License-Identifier: Apache-2.0
// Routes one level of a river network, whose reaches all end in reaches of later levels: what comes in from above is
// summed, and routed after Muskingum and Cunge, with celerity and attenuation from each step's own discharge. Short
// reaches are routed in more than one step of time. Hydrographs are [step * all + reach].

__kernel void muskingum_network(__global const int *above_row, __global const int *above, __global const float *lateral,
                                __global const float *length, __global const float *slope, __global const float *width,
                                const float roughness, __global const float *routed, const int all,
                                __global float *outflow, __global uint *deepest, const int steps, const float dt,
                                const int reaches)
{
    const int r = get_global_id(0);
    if (r >= reaches)
        return;

    const int begin = above_row[r], end = above_row[r + 1];
    const float dx = length[r], s0 = slope[r], b = width[r];
    const float root = sqrt(s0) / roughness;

    float came = 0.0f;
    for (int k = begin; k < end; k++)
        came += routed[above[k]];
    float went = came + lateral[r];
    float highest = 0.0f;
    outflow[r] = went;

    for (int t = 1; t < steps; t++) {
        float comes = 0.0f;
        for (int k = begin; k < end; k++)
            comes += routed[t * all + above[k]];

        // Wide channel: depth by Manning, waves go at 5/3 of the mean velocity.
        const float q = fmax((came + comes + went) / 3.0f, 1e-3f);
        const float depth = pow(q / (b * root), 0.6f);
        const float celerity = 5.0f / 3.0f * q / (b * depth);
        const float k_s = dx / celerity;
        const float x = clamp(0.5f * (1.0f - q / (b * s0 * celerity * dx)), 0.0f, 0.5f);
        highest = fmax(highest, depth);

        const int parts = clamp((int)ceil(dt / k_s), 1, 8);
        const float part = dt / parts;
        const float below = 2.0f * k_s * (1.0f - x) + part;
        const float c0 = (part - 2.0f * k_s * x) / below;
        const float c1 = (part + 2.0f * k_s * x) / below;
        const float c2 = (2.0f * k_s * (1.0f - x) - part) / below;
        const float c3 = 2.0f * part / below * lateral[r];
        float was = came;
        for (int p = 1; p <= parts; p++) {
            const float is = came + (comes - came) * p / parts;
            went = fmax(c0 * is + c1 * was + c2 * went + c3, 0.0f);
            was = is;
        }
        outflow[t * all + r] = went;
        came = comes;
    }

    // Positive floats are ordered as their bits are.
    atomic_max(deepest, as_uint(highest));
}
