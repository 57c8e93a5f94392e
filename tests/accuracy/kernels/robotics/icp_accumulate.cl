// SPDX-License-Identifier: Apache-2.0
// One step of planar ICP. Each source point, moved by the guess (cos, sin, tx, ty), finds its nearest target by brute
// force, targets by tiles in local memory; pairs that are not too far add to the sums of the alignment. One row of sums
// per work-group: weight, source x y, target x y, and the four products.

#define SUMS 9

#ifndef GROUP
#define GROUP 64
#endif

__kernel void icp_accumulate(__global const float2 *source, __global const float2 *target, int source_count,
                             int target_count, float4 guess, float reject, __global float *sums)
{
    __local float2 tile[GROUP];
    __local float shared[SUMS][GROUP];
    const int lid = get_local_id(0), gid = get_global_id(0);

    float2 p = gid < source_count ? source[gid] : (float2)(0.0f);
    p = (float2)(guess.x * p.x - guess.y * p.y + guess.z, guess.y * p.x + guess.x * p.y + guess.w);

    float best = MAXFLOAT;
    float2 nearest = (float2)(0.0f);

    for (int base = 0; base < target_count; base += GROUP) {
        if (base + lid < target_count)
            tile[lid] = target[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int here = min(GROUP, target_count - base);
        for (int i = 0; i < here; ++i) {
            const float2 d = tile[i] - p;
            const float d2 = dot(d, d);
            if (d2 < best) {
                best = d2;
                nearest = tile[i];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const float w = gid < source_count && best < reject * reject ? 1.0f : 0.0f;
    shared[0][lid] = w;
    shared[1][lid] = w * p.x;
    shared[2][lid] = w * p.y;
    shared[3][lid] = w * nearest.x;
    shared[4][lid] = w * nearest.y;
    shared[5][lid] = w * p.x * nearest.x;
    shared[6][lid] = w * p.x * nearest.y;
    shared[7][lid] = w * p.y * nearest.x;
    shared[8][lid] = w * p.y * nearest.y;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        if (lid < half_group) {
            #pragma unroll
            for (int s = 0; s < SUMS; ++s)
                shared[s][lid] += shared[s][lid + half_group];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < SUMS)
        sums[get_group_id(0) * SUMS + lid] = shared[lid][0];
}
