/* SPDX-License-Identifier: Apache-2.0 */
/* A sample from its message, which is hostile. */
#ifndef PREDICTD_DAEMON_CODEC_SAMPLE_CODEC_H
#define PREDICTD_DAEMON_CODEC_SAMPLE_CODEC_H

#include "model/device/sample.h"
#include "proto/predictd.pb-c.h"

/* As sample_new; also STATUS_INVALID for a type that is no scalar of OpenCL C. */
enum status sample_decode(const Predictd__Sample *message, struct sample **sample,
                          struct error *error);

#endif
