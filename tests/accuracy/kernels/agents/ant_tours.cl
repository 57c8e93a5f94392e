// SPDX-License-Identifier: Apache-2.0
// Ants that build tours (Dorigo, Gambardella, 1997): the next city is drawn among those that an ant has not seen, by
// pheromone and nearness, which are multiplied beforehand. At most 64 cities, seen ones are bits.

inline float draw(uint *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * 0x1p-24f;
}

__kernel void ant_tours(__global const float *attraction, __global const float *distance, const int cities, const uint seed,
                        __global uchar *tours, __global float *lengths, __global int *shortest)
{
    const int ant = get_global_id(0);
    uint random = seed ^ (uint)ant * 2246822519u;
    int here = ant % cities;
    const int home = here;
    ulong seen = 1UL << here;
    float length = 0.0f;

    tours[ant * cities] = here;
    for (int leg = 1; leg < cities; ++leg) {
        __global const float *row = attraction + here * cities;
        float sum = 0.0f;
        for (int c = 0; c < cities; ++c)
            sum += seen >> c & 1 ? 0.0f : row[c];

        float left = draw(&random) * sum;
        int next = -1;
        for (int c = 0; c < cities; ++c) {
            if (seen >> c & 1)
                continue;
            next = c;
            left -= row[c];
            if (left <= 0.0f)
                break;
        }
        length += distance[here * cities + next];
        seen |= 1UL << next;
        here = next;
        tours[ant * cities + leg] = here;
    }
    length += distance[here * cities + home];
    lengths[ant] = length;
    atomic_min(shortest, (int)(length * 1000.0f));
}
