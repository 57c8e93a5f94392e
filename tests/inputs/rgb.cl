/* SPDX-License-Identifier: Apache-2.0 */
kernel void split(global const uchar* src, global int* r, global int* g, global int* b, int pixels) { int i = get_global_id(0); if (i < pixels) { r[i] = src[3 * i]; g[i] = src[3 * i + 1]; b[i] = src[3 * i + 2]; } }
