/* SPDX-License-Identifier: Apache-2.0 */
#if TBX > 0
kernel void conv(global float* a) { a[get_global_id(0)] = TBX; }
#endif
