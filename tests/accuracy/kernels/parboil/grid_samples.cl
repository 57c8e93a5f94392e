/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of k-space to a grid by a Kaiser-Bessel kernel. Samples are sorted by cells; a work-group has a tile of the
   grid, goes over rows of cells around it, and brings their samples to local memory, a few at a time. */
struct sample {
    float real, imaginary;
    float x, y, z;
    float density;
};

/* I0 as the rational function of Blair and Edwards (1974). */
float bessel_i0(float v)
{
    const float z = v * v;
    float over = 0.210580722890567e-22f;
    over = over * z + 0.380715242345326e-19f;
    over = over * z + 0.479440257548300e-16f;
    over = over * z + 0.435125971262668e-13f;
    over = over * z + 0.300931127112960e-10f;
    over = over * z + 0.160224679395361e-7f;
    over = over * z + 0.654858370096785e-5f;
    over = over * z + 0.202591084143397e-2f;
    over = over * z + 0.463076284721000e0f;
    over = over * z + 0.754337328948189e2f;
    over = over * z + 0.830792541809429e4f;
    over = over * z + 0.571661130563785e6f;
    over = over * z + 0.216415572361227e8f;
    over = over * z + 0.356644482244025e9f;
    over = over * z + 0.144048298227235e10f;
    const float under = z * (z * (z - 0.307646912682801e4f) + 0.347626332405882e7f) - 0.144048298227235e10f;
    return -over / under;
}

__kernel void grid_samples(__global const struct sample *samples, __global const int *start, const int size_x,
                           const int size_y, const int size_z, const float cutoff, const float cutoff2,
                           const float by_cutoff2, const float beta, __global float2 *grid, __global float *density)
{
    __local struct sample cache[CACHED];

    const int across = get_local_size(0), along = get_local_size(1), up = get_local_size(2);
    const int lx = get_local_id(0), ly = get_local_id(1), lz = get_local_id(2);
    const int lid = (lz * along + ly) * across + lx;

    const int tiles_y = size_y / along;
    const int x0 = get_group_id(0) * across;
    const int y0 = get_group_id(1) % tiles_y * along;
    const int z0 = get_group_id(1) / tiles_y * up;
    const int x = x0 + lx, y = y0 + ly, z = z0 + lz;
    const int reach = (int)ceil(cutoff);
    const int first_x = max(x0 - reach, 0), last_x = min(x0 + across + reach, size_x - 1);
    const int first_y = max(y0 - reach, 0), last_y = min(y0 + along + reach, size_y - 1);
    const int first_z = max(z0 - reach, 0), last_z = min(z0 + up + reach, size_z - 1);

    float2 value = (float2)(0.0f, 0.0f);
    float weight = 0.0f;

    for (int cell_z = first_z; cell_z <= last_z; cell_z++) {
        for (int cell_y = first_y; cell_y <= last_y; cell_y++) {
            const int row = (cell_z * size_y + cell_y) * size_x;
            const int end = start[row + last_x + 1];

            for (int k = start[row + first_x]; k < end; k += CACHED) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (lid < CACHED && k + lid < end)
                    cache[lid] = samples[k + lid];
                barrier(CLK_LOCAL_MEM_FENCE);

                const int cached = min(end - k, CACHED);
                for (int s = 0; s < cached; s++) {
                    const float dx = cache[s].x - x, dy = cache[s].y - y, dz = cache[s].z - z;
                    const float squared = dx * dx + dy * dy + dz * dz;
                    if (squared < cutoff2) {
                        const float w =
                            bessel_i0(beta * sqrt(1.0f - squared * by_cutoff2)) * cache[s].density;
                        value.x += w * cache[s].real;
                        value.y += w * cache[s].imaginary;
                        weight += 1.0f;
                    }
                }
            }
        }
    }
    grid[(z * size_y + y) * size_x + x] = value;
    density[(z * size_y + y) * size_x + x] = weight;
}
