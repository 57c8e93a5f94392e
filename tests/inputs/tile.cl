/* SPDX-License-Identifier: Apache-2.0 */
#define BS 16
kernel void tile(global const float* a, global float* b, int w) { local float t[BS][BS]; int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1); t[j][i] = a[y * w + x]; barrier(CLK_LOCAL_MEM_FENCE); b[y * w + x] = t[i][j]; }
