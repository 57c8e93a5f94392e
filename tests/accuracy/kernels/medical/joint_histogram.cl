// SPDX-License-Identifier: Apache-2.0
// Joint histogram of two volumes, for their mutual information during registration. The floating one is sampled where
// an affine map takes the fixed one's voxels; voxels that leave it do not count. Work-groups collect in local memory
// first.

#define BINS 32

__kernel void joint_histogram(__global const uchar *fixed_volume, __global const uchar *moving, const int4 size,
                              __constant float4 *map, __global uint *histogram)
{
    __local uint bins[BINS * BINS];
    const int lid = get_local_id(0), group = get_local_size(0);

    for (int k = lid; k < BINS * BINS; k += group)
        bins[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int voxels = size.x * size.y * size.z;
    for (int i = get_global_id(0); i < voxels; i += get_global_size(0)) {
        const int x = i % size.x, y = i / size.x % size.y, z = i / (size.x * size.y);
        const float4 at = (float4)(x, y, z, 1.0f);
        const float3 to = (float3)(dot(map[0], at), dot(map[1], at), dot(map[2], at));

        const float3 base = floor(to);
        const int3 low = convert_int3(base);
        if (low.x < 0 || low.y < 0 || low.z < 0 || low.x + 1 >= size.x || low.y + 1 >= size.y || low.z + 1 >= size.z)
            continue;
        const float3 part = to - base;

        float plane[2];
        for (int dz = 0; dz < 2; ++dz) {
            __global const uchar *m = moving + ((low.z + dz) * size.y + low.y) * size.x + low.x;
            const float front = m[0] + part.x * ((float)m[1] - m[0]);
            const float back = m[size.x] + part.x * ((float)m[size.x + 1] - m[size.x]);
            plane[dz] = front + part.y * (back - front);
        }
        const int value = (int)(plane[0] + part.z * (plane[1] - plane[0]));
        atomic_inc(&bins[(fixed_volume[i] >> 3) * BINS + (value >> 3)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int k = lid; k < BINS * BINS; k += group)
        if (bins[k] != 0)
            atomic_add(&histogram[k], bins[k]);
}
