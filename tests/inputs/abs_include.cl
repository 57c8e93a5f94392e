// SPDX-License-Identifier: Apache-2.0
#include "ABSOLUTE/inc/factor.h"
kernel void k(global int* a) { a[get_global_id(0)] *= FACTOR; }
