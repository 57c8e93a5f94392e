// SPDX-License-Identifier: Apache-2.0
#define HEADER "inc/factor.h"
#include HEADER
kernel void k(global int* a) { a[get_global_id(0)] *= FACTOR; }
