/* SPDX-License-Identifier: Apache-2.0 */
/* An argument against what the kernel declares, before a driver gets it. */
#ifndef PREDICTD_CALIBRATOR_ARGUMENT_DECLARED_H
#define PREDICTD_CALIBRATOR_ARGUMENT_DECLARED_H

#include "daemon/calibrator/opencl.h"
#include "proto/predictd.pb-c.h"

/*
 * STATUS_INVALID, in the words of launch_check: "argument 4 (n): want scalar long, got scalar int".
 * An int for a float is as large, and no driver refuses it. Where the driver tells nothing, or a
 * name that the program has given a type, nothing is refused here.
 */
enum status argument_check_declared(cl_kernel kernel, unsigned index,
                                    const Predictd__Argument *argument, struct error *error);

#endif
