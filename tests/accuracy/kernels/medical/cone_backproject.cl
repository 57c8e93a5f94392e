// SPDX-License-Identifier: Apache-2.0
// Reconstruction from a cone beam (Feldkamp, Davis, Kress, 1984): every voxel gathers what filtered projections say
// of the ray through it, bilinear between detector pixels, weighed by its distance from the source. The z axis is the
// axis of rotation; `source` is its distance in voxels, `focal` that of source and detector in pixels.

__kernel void cone_backproject(__global const float *projections, __constant float2 *turns, const int views,
                               const int2 detector, const float source, const float focal, __global float *volume)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);

    const float px = x - 0.5f * (nx - 1), py = y - 0.5f * (ny - 1), pz = z - 0.5f * (nz - 1);
    const float cu = 0.5f * (detector.x - 1), cv = 0.5f * (detector.y - 1);
    float sum = 0.0f;

    for (int view = 0; view < views; ++view) {
        const float2 turn = turns[view]; /* cosine, sine */
        const float depth = source + px * turn.x + py * turn.y;
        const float over = 1.0f / depth;
        const float u = focal * (py * turn.x - px * turn.y) * over + cu;
        const float v = focal * pz * over + cv;

        const int iu = (int)floor(u), iv = (int)floor(v);
        if (iu < 0 || iv < 0 || iu + 1 >= detector.x || iv + 1 >= detector.y)
            continue;
        const float fu = u - iu, fv = v - iv;
        __global const float *p = projections + (view * detector.y + iv) * detector.x + iu;
        const float low = mix(p[0], p[1], fu);
        const float high = mix(p[detector.x], p[detector.x + 1], fu);
        const float ratio = source * over;
        sum += ratio * ratio * mix(low, high, fv);
    }
    volume[(z * ny + y) * nx + x] += sum;
}
