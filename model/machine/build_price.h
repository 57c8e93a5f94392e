/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What build options change of how long a launch takes (OpenCL API 3.0, 5.8.6), where a
 * calibration saw a difference. Options that relax mathematics make functions and divisions cheaper
 * by a ratio each; -cl-opt-disable has every operation go through memory, as it is written.
 */
#ifndef PREDICTD_MODEL_MACHINE_BUILD_PRICE_H
#define PREDICTD_MODEL_MACHINE_BUILD_PRICE_H

#include "model/device/device.h"
#include "model/device/levels.h"
#include "model/ir/ir.h"
#include "model/machine/input.h"

/*
 * The device as such a build finds it, a copy on the heap to free(); NULL with STATUS_OK where
 * nothing is known that would change: the device itself stands.
 */
enum status build_device(const struct device *device, uint32_t build, struct device **priced,
                         struct error *error);

/*
 * Device-seconds of a launch whose build optimised nothing: its operations and accesses as
 * they are written, and calls of functions, whose code comes optimised. 0 where that is not known,
 * or the build did optimise.
 */
double build_unoptimised_s(const struct model_input *input);

#endif
