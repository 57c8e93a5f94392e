/* SPDX-License-Identifier: Apache-2.0 */
/* Collisions of particles sorted by cell of a grid that wraps: a work-item goes through the 27 cells around its
   particle, and through the particles of each. */
float4 collide_pair(const float4 a, const float4 b, const float4 velocity_a, const float4 velocity_b, const float radii,
                    const float spring, const float damping, const float shear)
{
    const float4 relative = (float4)(b.x - a.x, b.y - a.y, b.z - a.z, 0.0f);
    const float distance =
        sqrt(relative.x * relative.x + relative.y * relative.y + relative.z * relative.z);
    float4 force = (float4)(0.0f);

    if (distance < radii) {
        const float4 normal = relative / distance;
        const float4 speed = (float4)(velocity_b.x - velocity_a.x, velocity_b.y - velocity_a.y,
                                      velocity_b.z - velocity_a.z, 0.0f);
        const float along = normal.x * speed.x + normal.y * speed.y + normal.z * speed.z;
        const float4 tangent = speed - along * normal;
        force = -spring * (radii - distance) * normal + damping * speed + shear * tangent;
    }
    return force;
}

__kernel void collide_cells(__global float4 *velocities, __global const float4 *sorted_positions,
                            __global const float4 *sorted_velocities, __global const int *particle,
                            __global const int *cell_starts, const float4 collider, const float collider_radius,
                            const int side, const float cell, const float radius, const float spring,
                            const float damping, const float shear, const int count)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;

    const float4 position = sorted_positions[i];
    const float4 velocity = sorted_velocities[i];
    const int4 place = (int4)((int)floor((position.x + 1.0f) / cell), (int)floor((position.y + 1.0f) / cell),
                              (int)floor((position.z + 1.0f) / cell), 0);
    float4 force = (float4)(0.0f);

    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int cx = (place.x + x) & (side - 1);
                const int cy = (place.y + y) & (side - 1);
                const int cz = (place.z + z) & (side - 1);
                const int hash = (cz * side + cy) * side + cx;
                const int end = cell_starts[hash + 1];
                for (int j = cell_starts[hash]; j < end; j++) {
                    if (j == i)
                        continue;
                    force += collide_pair(position, sorted_positions[j], velocity, sorted_velocities[j],
                                          radius + radius, spring, damping, shear);
                }
            }
    force += collide_pair(position, collider, velocity, (float4)(0.0f), radius + collider_radius, spring, damping,
                          shear);
    velocities[particle[i]] = velocity + force;
}
