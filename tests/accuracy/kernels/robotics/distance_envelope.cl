/* SPDX-License-Identifier: Apache-2.0 */
/* Squared distance transform of the columns of a map: the lower envelope of parabolas (Felzenszwalb and Huttenlocher).
 * `cost` has squared distances along rows, or where nothing is near a large number. `apex` and `bound` are scratch,
 * as large as the map and one row more. */

#define AT(row) ((row) * width + x)

__kernel void distance_envelope(__global const float *cost, __global float *distance, __global int *apex,
                                __global float *bound, const int width, const int height)
{
    const int x = get_global_id(0);
    if (x >= width)
        return;

    int k = 0;
    apex[AT(0)] = 0;
    bound[AT(0)] = -INFINITY;
    bound[AT(1)] = INFINITY;

    for (int q = 1; q < height; q++) {
        const float fq = cost[AT(q)] + (float)(q * q);
        float s;
        for (;;) {
            const int v = apex[AT(k)];
            s = (fq - (cost[AT(v)] + (float)(v * v))) / (float)(2 * (q - v));
            if (s > bound[AT(k)] || k == 0)
                break;
            k--;
        }
        if (s > bound[AT(k)])
            k++;
        apex[AT(k)] = q;
        bound[AT(k)] = s;
        bound[AT(k + 1)] = INFINITY;
    }

    k = 0;
    for (int q = 0; q < height; q++) {
        while (bound[AT(k + 1)] < (float)q)
            k++;
        const int v = apex[AT(k)];
        distance[AT(q)] = (float)((q - v) * (q - v)) + cost[AT(v)];
    }
}
