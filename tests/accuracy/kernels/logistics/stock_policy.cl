/* SPDX-License-Identifier: Apache-2.0 */
/* Stock of a warehouse under (s, S) policies, each simulated for some years of days: Poisson demand, orders that
   arrive after a lead time that varies, what is not there is owed. Gives the mean cost of a day and the share that
   was delivered at once. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define AHEAD 16 /* days that an order may take, a power of two */

__kernel void stock_policy(__global const int *reorder_below, __global const int *order_more,
                           const float exp_minus_mean, const int days, const int lead_min, const double4 costs,
                           const uint seed, __global double *cost_per_day, __global float *fill_rate, const int policies)
{
    const int p = get_global_id(0);
    if (p >= policies)
        return;
    const int s = reorder_below[p];
    const int up_to = s + 1 + order_more[p];

    ushort due[AHEAD];
    for (int k = 0; k < AHEAD; k++)
        due[k] = 0;

    uint random = seed ^ (uint)(p + 1) * 747796405u;
    int stock = up_to, on_order = 0, demanded = 0, at_once = 0;
    double cost = 0.0;

    for (int day = 0; day < days; day++) {
        const int arrived = due[day & (AHEAD - 1)];
        due[day & (AHEAD - 1)] = 0;
        stock += arrived;
        on_order -= arrived;

        int demand = -1;
        float product = 1.0f;
        do {
            random = random * 1664525u + 1013904223u;
            product *= (float)(random >> 8) * 0x1p-24f;
            demand++;
        } while (product > exp_minus_mean);

        demanded += demand;
        at_once += clamp(stock, 0, demand);
        stock -= demand;
        cost += stock >= 0 ? costs.x * stock : costs.y * -stock;

        if (stock + on_order <= s) {
            const int amount = up_to - stock - on_order;
            random = random * 1664525u + 1013904223u;
            const int lead = lead_min + (int)(random >> 29);
            due[(day + lead) & (AHEAD - 1)] += amount;
            on_order += amount;
            cost += costs.z + costs.w * amount;
        }
    }
    cost_per_day[p] = cost / days;
    fill_rate[p] = demanded > 0 ? (float)at_once / demanded : 1.0f;
}
