/* SPDX-License-Identifier: Apache-2.0 */
/* What other nodes observed, from its message. */
#ifndef PREDICTD_DAEMON_CODEC_SHARE_CODEC_H
#define PREDICTD_DAEMON_CODEC_SHARE_CODEC_H

#include "model/correction/correction.h"
#include "proto/predictd.pb-c.h"

/*
 * An estimate as a record to be told (correction_tell), of no device yet. It is hostile input:
 * what its state says is bounded there.
 *
 * STATUS_CORRUPT names what is wrong: kind, device, state.
 */
enum status estimate_decode(const Predictd__SiteEstimate *estimate,
                            struct correction_record *record, struct error *error);

#endif
