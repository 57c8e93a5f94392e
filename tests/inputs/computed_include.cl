// SPDX-License-Identifier: Apache-2.0
#define STR_(x) #x
#define STR(x) STR_(x)
#define DIR inc
#include STR(DIR/factor.h)
kernel void k(global int* a) { a[get_global_id(0)] *= FACTOR; }
