// SPDX-License-Identifier: Apache-2.0
// Food webs in patches: biomasses of SPECIES species with allometric rates and Holling's functional response, by the
// classical Runge-Kutta steps. Those that fall below a threshold are extinct for good.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SPECIES 10
#define BASAL   3

void rates(const double *b, __constant double *links, __constant double *growth, double half_saturation, double hill,
           double *change)
{
    double eaten[SPECIES];
    for (int s = 0; s < SPECIES; s++) {
        eaten[s] = 0.0;
        change[s] = s < BASAL ? growth[s] * b[s] * (1.0 - b[s]) : -growth[s] * b[s];
    }
    for (int predator = BASAL; predator < SPECIES; predator++) {
        double available = half_saturation;
        for (int prey = 0; prey < predator; prey++)
            available += links[predator * SPECIES + prey] * b[prey] * (1.0 + hill * b[prey]);
        const double each = b[predator] / available;
        double intake = 0.0;
        for (int prey = 0; prey < predator; prey++) {
            const double flow = each * links[predator * SPECIES + prey] * b[prey] * (1.0 + hill * b[prey]);
            eaten[prey] += flow;
            intake += flow;
        }
        change[predator] += 0.85 * intake;
    }
    for (int s = 0; s < SPECIES; s++)
        change[s] -= eaten[s];
}

__kernel void foodweb_rk4(__global double *biomass, __constant double *links, __constant double *growth,
                          const double half_saturation, const double hill, const double step, const int steps,
                          const double extinct, __global uchar *alive, const int patches)
{
    const int p = get_global_id(0);
    if (p >= patches)
        return;

    double b[SPECIES], k[SPECIES], at[SPECIES], sum[SPECIES];
    for (int s = 0; s < SPECIES; s++)
        b[s] = biomass[s * patches + p];

    for (int n = 0; n < steps; n++) {
        for (int s = 0; s < SPECIES; s++) {
            sum[s] = 0.0;
            at[s] = b[s];
        }
        for (int stage = 0; stage < 4; stage++) {
            const double weight = stage == 0 || stage == 3 ? 1.0 / 6.0 : 1.0 / 3.0;
            const double ahead = stage == 2 ? step : 0.5 * step;
            rates(at, links, growth, half_saturation, hill, k);
            for (int s = 0; s < SPECIES; s++) {
                sum[s] += weight * k[s];
                at[s] = b[s] + ahead * k[s];
            }
        }
        for (int s = 0; s < SPECIES; s++) {
            b[s] += step * sum[s];
            if (b[s] < extinct)
                b[s] = 0.0;
        }
    }
    uchar living = 0;
    for (int s = 0; s < SPECIES; s++) {
        biomass[s * patches + p] = b[s];
        living += b[s] > 0.0;
    }
    alive[p] = living;
}
