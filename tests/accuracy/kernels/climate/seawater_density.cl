// SPDX-License-Identifier: Apache-2.0
// In-situ density of sea water, kg/m3: the international equation of state (UNESCO 44, 1983). Temperature in degrees
// Celsius, practical salinity, pressure of a level in bar. Cells under the bottom get the missing value.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MISSING (-1.0e34)

double density(double T, double S, double p)
{
    const double S15 = S * sqrt(S);

    const double rho_w = 999.842594 + T * (6.793952e-2 + T * (-9.095290e-3 + T * (1.001685e-4 + T * (-1.120083e-6
                         + T * 6.536332e-9))));
    const double rho_0 = rho_w
        + S * (8.24493e-1 + T * (-4.0899e-3 + T * (7.6438e-5 + T * (-8.2467e-7 + T * 5.3875e-9))))
        + S15 * (-5.72466e-3 + T * (1.0227e-4 - T * 1.6546e-6))
        + 4.8314e-4 * S * S;

    const double K_0 = 19652.21 + T * (148.4206 + T * (-2.327105 + T * (1.360477e-2 - T * 5.155288e-5)))
        + S * (54.6746 + T * (-0.603459 + T * (1.09987e-2 - T * 6.1670e-5)))
        + S15 * (7.944e-2 + T * (1.6483e-2 - T * 5.3009e-4));
    const double A = 3.239908 + T * (1.43713e-3 + T * (1.16092e-4 - T * 5.77905e-7))
        + S * (2.2838e-3 + T * (-1.0981e-5 - T * 1.6078e-6))
        + 1.91075e-4 * S15;
    const double B = 8.50935e-5 + T * (-6.12293e-6 + T * 5.2787e-8)
        + S * (-9.9348e-7 + T * (2.0816e-8 + T * 9.1697e-10));
    const double K = K_0 + p * (A + p * B);

    return rho_0 / (1.0 - p / K);
}

__kernel void seawater_density(__global const float *temperature, __global const float *salinity,
                               __global const double *pressure, __global const int *bottom_level,
                               __global double *rho, int cells)
{
    const int cell = get_global_id(0);
    const int level = get_global_id(1);
    if (cell >= cells)
        return;

    const int at = level * cells + cell;
    rho[at] = level <= bottom_level[cell] ? density(temperature[at], salinity[at], pressure[level]) : MISSING;
}
