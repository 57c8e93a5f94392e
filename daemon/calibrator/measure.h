/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels of the calling user and times them. */
#ifndef PREDICTD_CALIBRATOR_MEASURE_H
#define PREDICTD_CALIBRATOR_MEASURE_H

#include "daemon/calibrator/list.h"
#include "proto/predictd.pb-c.h"

/*
 * Measures every case of the request on its device and writes one Measurement
 * each to fd, in order; a case that fails carries its error and the rest go on.
 * STATUS_NOT_FOUND or STATUS_DEVICE: the device itself is unusable.
 */
enum status measure(const Predictd__CalibratorMeasure *request, int fd, struct error *error);

/*
 * Measures one case. budget_s bounds the runs beyond the least number (0: a
 * default). The device has nothing to do for the launch's idle_s before each. Fills everything of
 * *measurement but its index and error.
 */
enum status measure_case(struct opencl *opencl, const struct device *device,
                         const Predictd__MeasureCase *what, double budget_s,
                         Predictd__Measurement *measurement, struct error *error);

#endif
