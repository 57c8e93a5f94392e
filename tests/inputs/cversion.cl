// SPDX-License-Identifier: Apache-2.0
#if __OPENCL_C_VERSION__ >= 200
kernel void k(global float* a){ a[get_global_id(0)] = 1; }
#else
kernel void k(global float* a){ float x=1; for (int i=0;i<1000;i++) x = x*a[get_global_id(0)]+1.0f; a[get_global_id(0)] = x; }
#endif
