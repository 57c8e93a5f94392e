// SPDX-License-Identifier: Apache-2.0
/* the loop of BabelStream's dot, CLBlast's Xdot and of every CUDA guide */
kernel void gs(global const float* a, global float* s, int n) { float t = 0; for (int i = get_global_id(0); i < n; i += get_global_size(0)) t += a[i]; s[get_global_id(0)] = t; }
