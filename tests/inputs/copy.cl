// SPDX-License-Identifier: Apache-2.0
kernel void copy(global const float* a, global float* b) { size_t i = get_global_id(0); b[i] = a[i]; }
