/* SPDX-License-Identifier: Apache-2.0 */
/* Potential of charged spheres in an electrolyte at points of a grid (multiple Debye-Hueckel): a work-item sums over
   all atoms, which the work-group keeps in local memory, as many at a time as it has work-items. */
__kernel void debye_huckel(__global const float *ax, __global const float *ay, __global const float *az,
                           __global const float *charge, __global const float *size, __global const float *gx,
                           __global const float *gy, __global const float *gz, const float factor, const float kappa,
                           __global float *value, const int atoms, __local float *shared)
{
    const int gid = get_global_id(0);
    const int lid = get_local_id(0);
    int count = get_local_size(0);
    const float x = gx[gid], y = gy[gid], z = gz[gid];
    float v = 0.0f;

    for (int first = 0; first < atoms; first += count) {
        if (first + count > atoms)
            count = atoms - first;
        if (lid < count) {
            shared[lid] = ax[first + lid];
            shared[lid + count] = ay[first + lid];
            shared[lid + 2 * count] = az[first + lid];
            shared[lid + 3 * count] = charge[first + lid];
            shared[lid + 4 * count] = size[first + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < count; i++) {
            const float dx = x - shared[i], dy = y - shared[i + count], dz = z - shared[i + 2 * count];
            const float distance = sqrt(dx * dx + dy * dy + dz * dz);
            const float radius = shared[i + 4 * count];
            v += factor * (shared[i + 3 * count] / distance) * exp(-kappa * (distance - radius)) /
                 (1.0f + kappa * radius);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    value[gid] = v;
}
