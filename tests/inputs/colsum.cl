// SPDX-License-Identifier: Apache-2.0
kernel void colsum(global const float* a, global float* y, int n, int ld) { int j = get_global_id(0); float s = 0; for (int i = 0; i < n; i++) s += a[i * ld + j]; y[j] = s; }
kernel void colsum_into(global const float* a, global float* y, int n, int ld) { int j = get_global_id(0); for (int i = 0; i < n; i++) y[j] += a[i * ld + j]; }
kernel void rowsum_into(global const float* a, global float* y, int n, int ld) { int j = get_global_id(0); for (int i = 0; i < n; i++) y[j] += a[j * ld + i]; }
