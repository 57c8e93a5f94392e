/* SPDX-License-Identifier: Apache-2.0 */
/* Frames to whoever started the calibrator. */
#ifndef PREDICTD_CALIBRATOR_REPLY_H
#define PREDICTD_CALIBRATOR_REPLY_H

#include "daemon/calibrator/list.h"
#include "model/device/contention.h"
#include "proto/predictd.pb-c.h"

/* Each writes one CalibratorReply; STATUS_IO when nobody reads any more. */
enum status reply_error(int fd, const struct error *why, struct error *error);
enum status reply_devices(int fd, const struct found_devices *found, struct error *error);
enum status reply_progress(int fd, double progress, double left_s, const char *stage,
                           struct error *error);
enum status reply_result(int fd, const struct device *device, struct error *error);
enum status reply_pair(int fd, const struct contention *pair, struct error *error);
enum status reply_measurement(int fd, Predictd__Measurement *measurement, struct error *error);

/* Makes the watchdog's last word an error; of the case when measurement index is >= 0. */
void reply_watch(int fd, const char *sentence, int64_t case_index);

#endif
