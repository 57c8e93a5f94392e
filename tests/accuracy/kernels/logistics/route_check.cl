// SPDX-License-Identifier: Apache-2.0
// Vehicle routes with time windows: drives each route stop by stop from the depot, waiting where it is early, and
// gives up at the first stop that comes too late or does not fit the load. Of routes that work: their cost, and how
// long the start could be put off.

typedef struct {
    float x, y;
} place_t;

typedef struct {
    ushort opens;     // seconds after the start of the day
    ushort open_for;
} window_t;

__kernel void route_check(__global const int *start, __global const int *stops, __global const place_t *places,
                          __global const window_t *windows, __global const uchar *demand, const float2 depot,
                          const float speed, const float service, const int capacity, __global float *cost,
                          __global float *slack, __global int *failed_at, const int routes)
{
    const int route = get_global_id(0);
    if (route >= routes)
        return;

    const int from = start[route], to = start[route + 1];
    place_t at = {depot.x, depot.y};
    float now = 0.0f, length_sum = 0.0f, waited = 0.0f, spare = 86400.0f;
    int load = 0, failed = -1;

    for (int k = from; k < to; ++k) {
        const int customer = stops[k];
        const place_t next = places[customer];
        const float leg = sqrt((next.x - at.x) * (next.x - at.x) + (next.y - at.y) * (next.y - at.y));
        const window_t w = windows[customer];
        const float closes = (float)w.opens + (float)w.open_for;

        load += demand[customer];
        now += leg / speed;
        if (load > capacity || now > closes) {
            failed = k - from;
            break;
        }
        length_sum += leg;
        // Later by so much at the start is later by less here, if there was a wait.
        spare = fmin(spare, closes - now + waited);
        if (now < w.opens) {
            waited += w.opens - now;
            now = w.opens;
        }
        now += service;
        at = next;
    }
    if (failed < 0) {
        const float dx = depot.x - at.x, dy = depot.y - at.y;
        length_sum += sqrt(dx * dx + dy * dy);
    }
    cost[route] = length_sum;
    slack[route] = failed < 0 ? spare : -1.0f;
    failed_at[route] = failed;
}
