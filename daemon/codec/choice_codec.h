/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice of a configuration is kept by, from its message: hostile bytes. */
#ifndef PREDICTD_DAEMON_CODEC_CHOICE_CODEC_H
#define PREDICTD_DAEMON_CODEC_CHOICE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "model/status.h"
#include "proto/predictd.pb-c.h"

enum { CHOICE_NAME_MAX = 128, CHOICE_SPACE_BYTES = 16, CHOICE_SIZES_MAX = 16 };

/* Not its device, which is looked up. */
struct choice_name {
	char text[CHOICE_NAME_MAX];
	uint8_t space[CHOICE_SPACE_BYTES];
	uint64_t sizes[CHOICE_SIZES_MAX];
	size_t size_count;
};

/* STATUS_INVALID: no message, or one that breaks a bound; says which. */
enum status choice_name_decode(const Predictd__Choice *message, struct choice_name *name,
                               struct error *error);

#endif
