/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL device that only says how long launches take: the calls of OpenCL that the
 * calibrator makes, linked in place of a driver's. No kernel runs; times follow from a kernel's
 * name and arguments by a few rules, and the clock moves by them alone.
 */
#ifndef PREDICTD_TESTS_SIMULATED_H
#define PREDICTD_TESTS_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#define SIMULATED_L1_BYTES 65536.0
#define SIMULATED_L2_BYTES 4194304.0

enum { SIMULATED_UNITS = 8, SIMULATED_LANES = 32, SIMULATED_SEGMENT_BYTES = 32 };

/* The device from now on, with the clock at zero; the fail_at-th call fails (0: none). */
void simulated_begin(bool is_gpu, unsigned long fail_at);

/* Calls since then. */
unsigned long simulated_calls(void);

/* Objects that were created and not released. */
long simulated_objects(void);

/* What clGetKernelArgInfo tells of every kernel: type names, up to a NULL. */
void simulated_arguments(const char *const *types);

#endif
