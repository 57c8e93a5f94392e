/* SPDX-License-Identifier: Apache-2.0 */
/* A calibration of a simulated device. */
#ifndef PREDICTD_TESTS_SIMULATED_CALIBRATION_H
#define PREDICTD_TESTS_SIMULATED_CALIBRATION_H

#include "daemon/calibrator/calibrate.h"
#include "tests/unit/calibrator/simulated.h"

/* Finds the simulated device and calibrates it. */
enum status simulated_calibrate(const struct simulated *simulated,
                                const struct calibrate_options *options, struct device *device,
                                struct error *error);

#endif
