/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix Q of a magnetic resonance image: each voxel takes the sum over samples of k-space (x, y, z, squared
   magnitude), of which some are in constant memory at a time, two an iteration. */
#define SAMPLES_MAX 1024
#define TWO_PI 6.2831853071795864769252867665590058f

__kernel void q_matrix(const int samples, int sample, __global const float *x, __global const float *y,
                       __global const float *z, __global float *q_real, __global float *q_imaginary,
                       __constant float4 *k)
{
    const int at = get_global_id(0);
    const float at_x = x[at], at_y = y[at], at_z = z[at];
    float real = q_real[at], imaginary = q_imaginary[at];
    int i = 0;

    if (samples % 2) {
        const float angle = TWO_PI * (k[0].x * at_x + k[0].y * at_y + k[0].z * at_z);
        real += k[0].w * cos(angle);
        imaginary += k[0].w * sin(angle);
        i++;
        sample++;
    }
    for (; i < SAMPLES_MAX && sample < samples; i += 2, sample += 2) {
        const float angle = TWO_PI * (k[i].x * at_x + k[i].y * at_y + k[i].z * at_z);
        real += k[i].w * cos(angle);
        imaginary += k[i].w * sin(angle);
        const float next = TWO_PI * (k[i + 1].x * at_x + k[i + 1].y * at_y + k[i + 1].z * at_z);
        real += k[i + 1].w * cos(next);
        imaginary += k[i + 1].w * sin(next);
    }
    q_real[at] = real;
    q_imaginary[at] = imaginary;
}
