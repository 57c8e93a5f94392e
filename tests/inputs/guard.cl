/* SPDX-License-Identifier: Apache-2.0 */
kernel void scale(global float* v, ulong nx, float f) { size_t i = get_global_id(0); if (i < nx) v[i] *= f; }
