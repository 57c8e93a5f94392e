/* SPDX-License-Identifier: Apache-2.0 */
kernel void scale(global float* v, uint count, float f) { size_t i = get_global_id(0); if (i < count) v[i] *= f; }
