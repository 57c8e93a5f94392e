// SPDX-License-Identifier: Apache-2.0
kernel void plain(global float* a) { float c = a[get_global_id(0)], x = 1; for (int i = 0; i < 1000; i++) x = x * c + 1.0f; a[get_global_id(0)] = x; }
kernel void fused(global float* a) { float c = a[get_global_id(0)], x = 1; for (int i = 0; i < 1000; i++) x = fma(x, c, 1.0f); a[get_global_id(0)] = x; }
kernel void addonly(global float* a) { float c = a[get_global_id(0)], x = 1; for (int i = 0; i < 1000; i++) x = x + c; a[get_global_id(0)] = x; }
