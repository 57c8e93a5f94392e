/* SPDX-License-Identifier: Apache-2.0 */
/* European calls on binomial trees of GROUP * NODES steps, one option a work-group: an item keeps NODES prices of a
   column to itself and gets the one behind them from its neighbour, step by step. */
#define STEPS (GROUP * NODES)

float at_expiry(float price, float strike, float spread, int i)
{
    const float gain = price * exp(spread * (2.0f * i - STEPS)) - strike;

    return gain > 0.0f ? gain : 0.0f;
}

__kernel void binomial_registers(__global const float *price, __global const float *strike,
                                 __global const float *spread, __global const float *up, __global const float *down,
                                 __global float *value)
{
    __local float edge[GROUP + 1];
    const int tid = get_local_id(0), option = get_group_id(0);
    const float s = price[option], x = strike[option], dt = spread[option];
    const float pu = up[option], pd = down[option];
    const int last = max(0, tid * NODES - 1);
    float call[NODES + 1];

    for (int i = 0; i < NODES; i++)
        call[i] = at_expiry(s, x, dt, tid * NODES + i);
    if (tid == 0)
        edge[GROUP] = at_expiry(s, x, dt, STEPS);

    for (int step = STEPS; step > 0; step--) {
        edge[tid] = call[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        call[NODES] = edge[tid + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step > last) {
            for (int j = 0; j < NODES; j++)
                call[j] = pu * call[j + 1] + pd * call[j];
        }
    }
    if (tid == 0)
        value[option] = call[0];
}
