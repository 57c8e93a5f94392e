// SPDX-License-Identifier: Apache-2.0
// Structure factors by direct summation: one work-item per reflection, atoms of the asymmetric unit come through
// local memory, and each symmetry operation turns the indices instead of the atoms.

#define OPS_MAX 8

typedef struct {
    float x, y, z;   // fractional
    float occupancy;
    float a, b, c;   // form factor: a exp(-b s^2) + c
    float b_iso;
} atom_t;

__kernel void structure_factors(__global const char4 *hkl, __global const atom_t *atoms, const int atom_count,
                                __constant float *ops, const int op_count, const float3 axes,
                                __global float2 *factors, __local atom_t *tile, const int reflections)
{
    const int r = get_global_id(0);
    const int lid = get_local_id(0);
    const int size = get_local_size(0);

    const float3 h = r < reflections ? convert_float3(hkl[r].xyz) : (float3)(0.0f);
    const float3 recip = h / axes;
    const float s2 = 0.25f * dot(recip, recip);

    float4 turned[OPS_MAX];
    for (int k = 0; k < op_count; k++) {
        __constant float *m = ops + 12 * k;
        turned[k].x = h.x * m[0] + h.y * m[3] + h.z * m[6];
        turned[k].y = h.x * m[1] + h.y * m[4] + h.z * m[7];
        turned[k].z = h.x * m[2] + h.y * m[5] + h.z * m[8];
        turned[k].w = h.x * m[9] + h.y * m[10] + h.z * m[11];
    }

    float2 sum = (float2)(0.0f);
    for (int base = 0; base < atom_count; base += size) {
        if (base + lid < atom_count)
            tile[lid] = atoms[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int here = min(size, atom_count - base);
        for (int i = 0; i < here; i++) {
            const atom_t at = tile[i];
            const float f = (at.a * exp(-at.b * s2) + at.c) * at.occupancy * exp(-at.b_iso * s2);
            for (int k = 0; k < op_count; k++) {
                float phase = turned[k].x * at.x + turned[k].y * at.y + turned[k].z * at.z + turned[k].w;
                float cosine;
                phase -= floor(phase);
                const float sine = sincos(6.2831853f * phase, &cosine);
                sum.x += f * cosine;
                sum.y += f * sine;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (r < reflections)
        factors[r] = sum;
}
