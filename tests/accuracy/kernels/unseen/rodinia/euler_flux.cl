/* SPDX-License-Identifier: Apache-2.0 */
/* Fluxes of the Euler equations through the four faces of each tetrahedron of an unstructured mesh, with
   artificial viscosity. Neighbours below zero are walls (-1) and the far field (-2). Variables are density,
   momentum (3) and energy, each an array of its own, as are the normals' components. */
#define FACES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f

#define DENSITY 0
#define MOMENTUM 1
#define ENERGY 4
#define VARIABLES 5

struct flux {
    float3 momentum_x, momentum_y, momentum_z, energy;
};

float pressure_of(float density, float energy, float speed_squared)
{
    return (GAMMA - 1.0f) * (energy - 0.5f * density * speed_squared);
}

struct flux flux_of(float3 momentum, float energy, float pressure, float3 velocity)
{
    struct flux f;
    f.momentum_x = velocity * momentum.x;
    f.momentum_x.x += pressure;
    f.momentum_y = velocity * momentum.y;
    f.momentum_y.y += pressure;
    f.momentum_z = velocity * momentum.z;
    f.momentum_z.z += pressure;
    f.energy = velocity * (energy + pressure);
    return f;
}

__kernel void euler_flux(__global const int *neighbours, __global const float *normals,
                         __global const float *variables, __constant float *far, __constant float *far_flux,
                         __global float *fluxes, const int count)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;

    const float density = variables[i + DENSITY * count];
    const float3 momentum = (float3)(variables[i + MOMENTUM * count], variables[i + (MOMENTUM + 1) * count],
                                     variables[i + (MOMENTUM + 2) * count]);
    const float energy = variables[i + ENERGY * count];
    const float3 velocity = momentum / density;
    const float speed_squared = velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z;
    const float speed = sqrt(speed_squared);
    const float pressure = pressure_of(density, energy, speed_squared);
    const float sound = sqrt(GAMMA * pressure / density);
    const struct flux mine = flux_of(momentum, energy, pressure, velocity);

    float of_density = 0.0f, of_energy = 0.0f;
    float3 of_momentum = (float3)(0.0f);

    for (int j = 0; j < FACES; j++) {
        const int nb = neighbours[i + j * count];
        const float3 normal = (float3)(normals[i + j * count], normals[i + (j + FACES) * count],
                                       normals[i + (j + 2 * FACES) * count]);
        const float length = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);

        if (nb >= 0) {
            const float density_nb = variables[nb + DENSITY * count];
            const float3 momentum_nb =
                (float3)(variables[nb + MOMENTUM * count], variables[nb + (MOMENTUM + 1) * count],
                         variables[nb + (MOMENTUM + 2) * count]);
            const float energy_nb = variables[nb + ENERGY * count];
            const float3 velocity_nb = momentum_nb / density_nb;
            const float squared_nb =
                velocity_nb.x * velocity_nb.x + velocity_nb.y * velocity_nb.y + velocity_nb.z * velocity_nb.z;
            const float pressure_nb = pressure_of(density_nb, energy_nb, squared_nb);
            const float sound_nb = sqrt(GAMMA * pressure_nb / density_nb);
            const struct flux other = flux_of(momentum_nb, energy_nb, pressure_nb, velocity_nb);

            float factor = -length * SMOOTHING * 0.5f * (speed + sqrt(squared_nb) + sound + sound_nb);
            of_density += factor * (density - density_nb);
            of_energy += factor * (energy - energy_nb);
            of_momentum += factor * (momentum - momentum_nb);

            factor = 0.5f * normal.x;
            of_density += factor * (momentum_nb.x + momentum.x);
            of_energy += factor * (other.energy.x + mine.energy.x);
            of_momentum.x += factor * (other.momentum_x.x + mine.momentum_x.x);
            of_momentum.y += factor * (other.momentum_y.x + mine.momentum_y.x);
            of_momentum.z += factor * (other.momentum_z.x + mine.momentum_z.x);

            factor = 0.5f * normal.y;
            of_density += factor * (momentum_nb.y + momentum.y);
            of_energy += factor * (other.energy.y + mine.energy.y);
            of_momentum.x += factor * (other.momentum_x.y + mine.momentum_x.y);
            of_momentum.y += factor * (other.momentum_y.y + mine.momentum_y.y);
            of_momentum.z += factor * (other.momentum_z.y + mine.momentum_z.y);

            factor = 0.5f * normal.z;
            of_density += factor * (momentum_nb.z + momentum.z);
            of_energy += factor * (other.energy.z + mine.energy.z);
            of_momentum.x += factor * (other.momentum_x.z + mine.momentum_x.z);
            of_momentum.y += factor * (other.momentum_y.z + mine.momentum_y.z);
            of_momentum.z += factor * (other.momentum_z.z + mine.momentum_z.z);
        } else if (nb == -1) {
            of_momentum += normal * pressure;
        } else if (nb == -2) {
            float factor = 0.5f * normal.x;
            of_density += factor * (far[MOMENTUM] + momentum.x);
            of_energy += factor * (far_flux[0] + mine.energy.x);
            of_momentum.x += factor * (far_flux[3] + mine.momentum_x.x);
            of_momentum.y += factor * (far_flux[6] + mine.momentum_y.x);
            of_momentum.z += factor * (far_flux[9] + mine.momentum_z.x);

            factor = 0.5f * normal.y;
            of_density += factor * (far[MOMENTUM + 1] + momentum.y);
            of_energy += factor * (far_flux[1] + mine.energy.y);
            of_momentum.x += factor * (far_flux[4] + mine.momentum_x.y);
            of_momentum.y += factor * (far_flux[7] + mine.momentum_y.y);
            of_momentum.z += factor * (far_flux[10] + mine.momentum_z.y);

            factor = 0.5f * normal.z;
            of_density += factor * (far[MOMENTUM + 2] + momentum.z);
            of_energy += factor * (far_flux[2] + mine.energy.z);
            of_momentum.x += factor * (far_flux[5] + mine.momentum_x.z);
            of_momentum.y += factor * (far_flux[8] + mine.momentum_y.z);
            of_momentum.z += factor * (far_flux[11] + mine.momentum_z.z);
        }
    }

    fluxes[i + DENSITY * count] = of_density;
    fluxes[i + MOMENTUM * count] = of_momentum.x;
    fluxes[i + (MOMENTUM + 1) * count] = of_momentum.y;
    fluxes[i + (MOMENTUM + 2) * count] = of_momentum.z;
    fluxes[i + ENERGY * count] = of_energy;
}
