/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction to its message. */
#ifndef PREDICTD_DAEMON_CODEC_PREDICTION_CODEC_H
#define PREDICTD_DAEMON_CODEC_PREDICTION_CODEC_H

#include "daemon/codec/arena.h"
#include "model/answer/predict.h"
#include "proto/predictd.pb-c.h"

/* The message, with its rows where asked for, in the arena; NULL when that is full. */
Predictd__Prediction *prediction_encode(const struct prediction *prediction, bool with_rows,
                                        struct arena *arena);

/* Adds what lines of the kernel add to its time, which the message has; false as above. */
bool prediction_encode_lines(const struct prediction_lines *lines, const struct ir_kernel *kernel,
                             Predictd__Prediction *message, struct arena *arena);

/* Adds how the launch fills the device, where that is known; false as above. */
bool prediction_encode_occupancy(const struct prediction *prediction, Predictd__Prediction *message,
                                 struct arena *arena);

/* Adds the changes that the kernel could follow; false when the arena is full. */
bool what_ifs_encode(const struct ir_kernel *kernel, const struct prediction *prediction,
                     Predictd__Prediction *message, struct arena *arena);

/* An error as its message, in the arena; NULL as above. */
Predictd__Error *error_encode(const struct error *error, struct arena *arena);

#endif
