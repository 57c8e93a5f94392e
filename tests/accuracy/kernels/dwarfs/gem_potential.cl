// SPDX-License-Identifier: Apache-2.0
// The electrostatic potential of a molecule at the vertices of its surface, moved outwards a little, by the analytic
// approximation of the linearised Poisson-Boltzmann equation (Gordon, Fenley, Onufriev 2008): each vertex adds up all
// atoms of all residues.
#define ALPHA 0.580127f

__kernel void gem_potential(const int residues, const int vertices, __global const int *residue_start,
                            __global const float *atom_x, __global const float *atom_y, __global const float *atom_z,
                            __global const float *charge, __global const float *vertex_x,
                            __global const float *vertex_y, __global const float *vertex_z,
                            __global const float *normals, const float radius, const float lift,
                            const float4 dielectric, __global float *potential)
{
    const int v = get_global_id(0);
    if (v >= vertices)
        return;

    // inside, outside, kappa, reach of excluded ions
    const float beta = dielectric.x / dielectric.y;
    const float kappa = dielectric.z, ions = dielectric.w;
    const float x = vertex_x[v] + lift * normals[v];
    const float y = vertex_y[v] + lift * normals[vertices + v];
    const float z = vertex_z[v] + lift * normals[2 * vertices + v];
    const float r = radius + lift;
    const float salt = 1.0f / (1.0f + kappa * (radius + ions));
    const float factor = 1.0f / (dielectric.y * (1.0f + ALPHA * beta));

    float sum = 0.0f;
    for (int residue = 0; residue < residues; residue++) {
        const int end = residue_start[residue + 1];
        for (int a = residue_start[residue]; a < end; a++) {
            const float dx = x - atom_x[a], dy = y - atom_y[a], dz = z - atom_z[a];
            const float d = sqrt(dx * dx + dy * dy + dz * dz);
            const float near = (1.0f + ALPHA) / d, far = ALPHA * (1.0f - beta) / r;
            const float shielded = d > ions ? exp(-kappa * (d - ions)) * salt : 1.0f;
            sum += charge[a] * (near - far) * shielded * factor;
        }
    }
    potential[v] = sum;
}
