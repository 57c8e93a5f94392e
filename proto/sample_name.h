/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a sample: 128 bits that follow from what it holds, so that a client can name a
 * sample before the daemon has it.
 *
 * It is XXH3's, which is no cryptographic hash: whoever looks for them finds two samples of one
 * name. Names are looked up among the samples of one user, so he would mislead himself alone.
 */
#ifndef PREDICTD_PROTO_SAMPLE_NAME_H
#define PREDICTD_PROTO_SAMPLE_NAME_H

#include <stdint.h>

#include "proto/predictd.pb-c.h"

enum { SAMPLE_NAME_BYTES = 16 };

/* The sample need not be a valid one. */
void sample_name(const Predictd__Sample *sample, uint8_t name[SAMPLE_NAME_BYTES]);

#endif
