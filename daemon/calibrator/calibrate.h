/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a device's coefficients (model/device/device.h) by micro-benchmarks. */
#ifndef PREDICTD_CALIBRATOR_CALIBRATE_H
#define PREDICTD_CALIBRATOR_CALIBRATE_H

#include "daemon/calibrator/opencl.h"

/* Told now and then how far it is; a status other than STATUS_OK ends the calibration. */
typedef enum status calibrate_progress(void *context, double progress, double left_s,
                                       const char *stage, struct error *error);

struct calibrate_options {
	bool is_quick;
	double budget_s; /* of the whole; 0: 13.5 quick, 110 full */
	calibrate_progress *progress;
	void *context;
	bool is_rehearsed;   /* processes of this program ask and compile first: profile.h,
	                        rehearsal.h */
	size_t device_index; /* of found_devices, for them */
};

/*
 * Calibrates the device behind an open context. *device carries identity and
 * limits; its coefficients are replaced only when the whole succeeds. What
 * there was no time for, or what the device refused, stays unknown.
 */
enum status calibrate(struct opencl *opencl, const struct calibrate_options *options,
                      struct device *device, struct error *error);

/*
 * One process of a rehearsal: compiles what a calibration of these options launches, as far as
 * it draws its numbers from that descriptor (bench_takes). The device's coefficients are lost.
 */
enum status calibrate_rehearse(struct opencl *opencl, const struct calibrate_options *options,
                               int numbers, struct device *device, struct error *error);

#endif
