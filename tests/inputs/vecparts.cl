// SPDX-License-Identifier: Apache-2.0
/* the same sum, by parts and whole: compilers make one of both */
kernel void parts(global const float4* x, global float4* y, float a) { size_t i = get_global_id(0); float4 v = y[i], w = x[i]; v.x += a * w.x; v.y += a * w.y; v.z += a * w.z; v.w += a * w.w; y[i] = v; }
kernel void whole(global const float4* x, global float4* y, float a) { size_t i = get_global_id(0); y[i] += a * x[i]; }
