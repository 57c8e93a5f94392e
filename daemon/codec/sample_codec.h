/* SPDX-License-Identifier: Apache-2.0 */
/* A sample from its message, which is hostile. */
#ifndef PREDICTD_DAEMON_CODEC_SAMPLE_CODEC_H
#define PREDICTD_DAEMON_CODEC_SAMPLE_CODEC_H

#include "model/device/sample.h"
#include "proto/predictd.pb-c.h"

/* As sample_new; also STATUS_INVALID for a type that is no scalar of OpenCL C. */
enum status sample_decode(const Predictd__Sample *message, struct sample **sample,
                          struct error *error);

/*
 * The message of a sample, packed: sample_decode of it gives the same. *bytes is the caller's, to
 * free(). STATUS_NO_MEMORY.
 */
enum status sample_encode(const struct sample *sample, uint8_t **bytes, size_t *size,
                          struct error *error);

#endif
