// SPDX-License-Identifier: Apache-2.0
// Replications of a queue with a few servers, customer after customer: arrivals are exponential, services gamma
// distributed (a sum of exponentials, as many as its shape). Mean wait, longest wait and the share that waited at
// all.

#define SERVERS 4

inline float exponential(ulong *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    const uint word = (uint)(*state >> 33);
    return -native_log((word + 1) * 0x1p-31f);
}

__kernel void queue_waits(__global const float2 *rates, const int shape, const int customers, const int warm_up,
                          __global float4 *results, const uint seed)
{
    const int run = get_global_id(0);
    const float arrival = rates[run].x, service = rates[run].y;
    ulong state = ((ulong)seed << 32 | (uint)run) * 0x9e3779b97f4a7c15UL;

    float is_free[SERVERS];
    for (int s = 0; s < SERVERS; ++s)
        is_free[s] = 0.0f;

    float now = 0.0f, total = 0.0f, longest = 0.0f;
    int waited = 0;
    for (int c = 0; c < customers; ++c) {
        now += exponential(&state) / arrival;

        int server = 0;
        float earliest = is_free[0];
        for (int s = 1; s < SERVERS; ++s)
            if (is_free[s] < earliest) {
                earliest = is_free[s];
                server = s;
            }
        const float wait = fmax(earliest - now, 0.0f);

        float work = 0.0f;
        for (int k = 0; k < shape; ++k)
            work += exponential(&state);
        work /= service * shape;
        for (int s = 0; s < SERVERS; ++s)
            is_free[s] = s == server ? now + wait + work : is_free[s];

        if (c >= warm_up) {
            total += wait;
            longest = fmax(longest, wait);
            waited += wait > 0.0f;
        }
    }
    const float counted = customers - warm_up;
    results[run] = (float4)(total / counted, longest, waited / counted, now);
}
