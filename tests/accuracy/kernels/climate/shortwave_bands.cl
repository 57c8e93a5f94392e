// SPDX-License-Identifier: Apache-2.0
// Short waves through the layers of an atmosphere, band by band. Down: absorption by vapour, reflection by the first
// thick cloud; up again from the ground. Transmissivities of the way down are kept for the way up.

#define MAX_LAYERS 48
#define BANDS 6

typedef struct {
    float incoming;     // W/m2 at the top
    float k_vapour;
    float k_cloud;
    float albedo;
} band_t;

__kernel void shortwave_bands(__global const float *vapour, __global const float *cloud, __global const float *cos_zenith,
                              __constant band_t *bands, __global float *ground, __global float *top_up,
                              __global float *heating, int columns, int layers)
{
    int column = get_global_id(0);
    if (column >= columns)
        return;

    float transmitted[MAX_LAYERS];
    float absorbed[MAX_LAYERS];
    float mu = cos_zenith[column];
    float to_ground = 0.0f, to_space = 0.0f;

    for (int k = 0; k < layers; k++)
        absorbed[k] = 0.0f;

    if (mu > 0.01f) {
        for (int b = 0; b < BANDS; b++) {
            band_t band = bands[b];
            float down = band.incoming * mu;
            float up;
            int k;

            for (k = 0; k < layers; k++) {
                float c = cloud[k * columns + column];
                if (c > 0.97f)
                    break;
                float tau = band.k_vapour * vapour[k * columns + column] + band.k_cloud * c;
                transmitted[k] = exp(-tau / mu);
                absorbed[k] += down * (1.0f - transmitted[k]);
                down *= transmitted[k];
            }
            if (k == layers) {
                to_ground += down * (1.0f - band.albedo);
                up = down * band.albedo;
            } else {
                absorbed[k] += 0.3f * down;
                up = 0.7f * down;
            }
            while (--k >= 0) {
                absorbed[k] += up * (1.0f - transmitted[k]);
                up *= transmitted[k];
            }
            to_space += up;
        }
    }

    for (int k = 0; k < layers; k++)
        heating[k * columns + column] = absorbed[k];
    ground[column] = to_ground;
    top_up[column] = to_space;
}
