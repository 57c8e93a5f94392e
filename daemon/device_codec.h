/* SPDX-License-Identifier: Apache-2.0 */
/* A device between model/device.h and its message; shared by daemon and calibrator. */
#ifndef PREDICTD_DAEMON_DEVICE_CODEC_H
#define PREDICTD_DAEMON_DEVICE_CODEC_H

#include "model/device.h"
#include "proto/predictd.pb-c.h"

/*
 * The message of a device; unknown coefficients are left out.
 * NULL when memory is short. The caller's: predictd__device__free_unpacked(m, NULL).
 */
Predictd__Device *device_encode(const struct device *device, bool with_coefficients);

/* Fills *device from a message of any origin and checks it (device_check). */
enum status device_decode(const Predictd__Device *message, struct device *device,
                          struct error *error);

#endif
