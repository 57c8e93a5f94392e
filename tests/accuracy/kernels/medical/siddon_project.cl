// SPDX-License-Identifier: Apache-2.0
// Forward projection through a square image: the exact lengths of a ray in each pixel (Siddon, 1985), pixel after
// pixel from where it enters to where it leaves. Parallel rays, one pixel apart; rows of work-items are angles.

__kernel void siddon_project(__global const float *image, const int side, __constant float2 *turns,
                             __global float *sinogram, const int rays)
{
    const int ray = get_global_id(0), angle = get_global_id(1);
    if (ray >= rays)
        return;

    const float2 way = turns[angle];
    const float half_side = 0.5f * side;
    const float offset = ray - 0.5f * (rays - 1);
    /* a point of the ray, with the image's middle as origin */
    const float ox = -way.y * offset, oy = way.x * offset;
    const float inv_x = fabs(way.x) > 1e-6f ? 1.0f / way.x : 1e6f;
    const float inv_y = fabs(way.y) > 1e-6f ? 1.0f / way.y : 1e6f;

    const float ax = (-half_side - ox) * inv_x, bx = (half_side - ox) * inv_x;
    const float ay = (-half_side - oy) * inv_y, by = (half_side - oy) * inv_y;
    const float enter = fmax(fmin(ax, bx), fmin(ay, by));
    const float leave = fmin(fmax(ax, bx), fmax(ay, by));
    float sum = 0.0f;

    if (enter < leave) {
        const int step_x = way.x < 0.0f ? -1 : 1, step_y = way.y < 0.0f ? -1 : 1;
        int x = clamp((int)floor(ox + enter * way.x + half_side), 0, side - 1);
        int y = clamp((int)floor(oy + enter * way.y + half_side), 0, side - 1);
        float next_x = (x + (step_x > 0) - half_side - ox) * inv_x;
        float next_y = (y + (step_y > 0) - half_side - oy) * inv_y;
        const float delta_x = fabs(inv_x), delta_y = fabs(inv_y);
        float at = enter;

        while (x >= 0 && x < side && y >= 0 && y < side) {
            const float next = fmin(fmin(next_x, next_y), leave);
            sum += (next - at) * image[y * side + x];
            at = next;
            if (next_x < next_y) {
                x += step_x;
                next_x += delta_x;
            } else {
                y += step_y;
                next_y += delta_y;
            }
        }
    }
    sinogram[angle * rays + ray] = sum;
}
