/* SPDX-License-Identifier: Apache-2.0 */
/* A pair between model/device/contention.h and its message; shared by daemon and calibrator. */
#ifndef PREDICTD_DAEMON_CODEC_PAIR_CODEC_H
#define PREDICTD_DAEMON_CODEC_PAIR_CODEC_H

#include "model/device/contention.h"
#include "proto/predictd.pb-c.h"

/* Fills a message that borrows the pair; nothing of it is to be freed. */
void pair_encode(const struct contention *pair, Predictd__Pair *message);

/*
 * Fills *pair from a message of any origin and checks it (contention_check, keys by key_is_valid),
 * with the lesser key first. STATUS_CORRUPT, STATUS_INVALID: *pair is unchanged.
 */
enum status pair_decode(const Predictd__Pair *message, struct contention *pair,
                        struct error *error);

#endif
