/* SPDX-License-Identifier: Apache-2.0 */
/* after BabelStream: array_size long, group sum */
kernel void dot(global const double* a, global const double* b, global double* s, local double* w, long n) { size_t i = get_global_id(0), l = get_local_id(0); w[l] = 0; for (; i < n; i += get_global_size(0)) w[l] += a[i] * b[i]; for (int o = get_local_size(0) / 2; o > 0; o /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (l < o) w[l] += w[l + o]; } if (l == 0) s[get_group_id(0)] = w[0]; }
