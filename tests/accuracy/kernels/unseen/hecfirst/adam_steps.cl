/* SPDX-License-Identifier: Apache-2.0 */
/* Adam with weight decay: an item takes so many steps with the same gradient for each of its elements, all that lie
   a grid apart; parameters and moments stay in global memory. Mode 0 has epsilon under the root. */
__kernel void adam_steps(__global float *p, __global float *m, __global float *v, __global const float *g,
                         const float b1, const float b2, const float eps, const float grad_scale, const float step_size,
                         const int steps, const uint size, const int mode, const float decay)
{
    const uint total = get_global_size(0);

    for (uint j = get_global_id(0); j < size; j += total) {
        for (int t = 0; t < steps; t++) {
            const float scaled = g[j] / grad_scale;
            m[j] = b1 * m[j] + (1.0f - b1) * scaled;
            v[j] = b2 * v[j] + (1.0f - b2) * scaled * scaled;
            const float root = mode == 0 ? sqrt(v[j] + eps) : sqrt(v[j]) + eps;
            p[j] -= step_size * (m[j] / root + decay * p[j]);
        }
    }
}
