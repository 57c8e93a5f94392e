/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic aperture image by backprojection: each pixel adds up, over all pulses, the range compressed echo at its
   distance with the phase of the way there and back taken off. Distances are doubles, since they are tens of thousands
   of wavelengths long; echoes are not. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void sar_backproject(__global const float2 *echoes, __global const float4 *antenna, int pulses, int bins,
                              double near_m, double bin_m, double wavelength_m, float pixel_m, __global float2 *image,
                              int width, int height)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    double x = (px - 0.5f * width) * pixel_m, y = (py - 0.5f * height) * pixel_m;
    float2 sum = 0.0f;

    for (int p = 0; p < pulses; p++) {
        double dx = antenna[p].x - x, dy = antenna[p].y - y, dz = antenna[p].z;
        double range = sqrt(dx * dx + dy * dy + dz * dz);
        double at = (range - near_m) / bin_m;
        int bin = (int)floor(at);
        if (bin < 0 || bin + 1 >= bins)
            continue;
        float t = (float)(at - bin);
        float2 echo = mix(echoes[p * bins + bin], echoes[p * bins + bin + 1], t);

        double cycles = 2.0 * range / wavelength_m;
        float c, s = sincos(6.2831853f * (float)(cycles - floor(cycles)), &c);
        sum += (float2)(echo.x * c - echo.y * s, echo.x * s + echo.y * c);
    }
    image[py * width + px] = sum / pulses;
}
