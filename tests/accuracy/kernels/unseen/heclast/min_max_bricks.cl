/* SPDX-License-Identifier: Apache-2.0 */
/* Marching cubes, first level: smallest and largest value of a field in each brick of SIDE^3 points, bricks share a
   layer. A work-item goes along z; the work-group then joins its columns by halves. */
#define ITEMS (SIDE * SIDE)

float field(const uint x, const uint y, const uint z, const uint n)
{
    const float d = 2.0f / n;
    const float xf = (int)(x - n / 2) * d;
    const float yf = (int)(y - n / 2) * d;
    const float zf = (int)(z - n / 2) * d;
    return 1.0f - 16.0f * xf * yf * zf - 4.0f * (xf * xf + yf * yf + zf * zf);
}

__kernel void min_max_bricks(__global float2 *bounds, const uint n)
{
    __local float low[ITEMS], high[ITEMS];
    const uint lid = get_local_id(0);
    const uint x = get_group_id(0) * (SIDE - 1) + lid % SIDE;
    const uint y = get_group_id(1) * (SIDE - 1) + lid / SIDE;
    uint z = get_group_id(2) * (SIDE - 1);

    float v = field(x, y, z, n);
    float smallest = v, largest = v;
    for (int k = 1; k < SIDE; k++) {
        v = field(x, y, ++z, n);
        if (v < smallest)
            smallest = v;
        if (v > largest)
            largest = v;
    }

    low[lid] = smallest;
    high[lid] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_way = ITEMS / 2; half_way > 0; half_way /= 2) {
        if (lid < half_way) {
            low[lid] = fmin(low[lid], low[lid + half_way]);
            high[lid] = fmax(high[lid], high[lid + half_way]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        bounds[(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] =
            (float2)(low[0], high[0]);
}
