/* SPDX-License-Identifier: Apache-2.0 */
/* A launch from its message, which is hostile. */
#ifndef PREDICTD_DAEMON_CODEC_LAUNCH_CODEC_H
#define PREDICTD_DAEMON_CODEC_LAUNCH_CODEC_H

#include "model/device/launch.h"
#include "proto/predictd.pb-c.h"

/*
 * Fills *launch from a message (NULL: none was sent). Checks what the message
 * alone can tell: counts, kinds, types, that values fit their type, hints;
 * launch_check (model/device/launch.h) checks it against kernel and device.
 * Only the first argument_count arguments and hint_count hints are written.
 *
 * STATUS_INVALID says which, wanted, got. *launch is undefined then.
 */
enum status launch_decode(const Predictd__Launch *message, struct launch *launch,
                          struct error *error);

#endif
