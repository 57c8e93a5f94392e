/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Language profiles: what a device's compiler makes of a source before it reads the program itself,
 * its macros, default standard and build options, as a packed message (proto/predictd.proto,
 * Language). The calibrator asks the compiler, the calibration keeps it, the analyser parses by it.
 *
 * It comes from a driver, a file or another node: hostile until language_check.
 */
#ifndef PREDICTD_DAEMON_LANGUAGE_H
#define PREDICTD_DAEMON_LANGUAGE_H

#include "model/device.h"
#include "model/status.h"
#include "proto/predictd.pb-c.h"

#include <stddef.h>
#include <stdint.h>

/* Where a profile is from: the less it was asked, the higher. */
enum language_origin {
	LANGUAGE_NONE,    /* of no device: what the front-end takes by itself */
	LANGUAGE_ASKED,   /* of the device's compiler */
	LANGUAGE_LISTED,  /* from the device's version, extensions and features */
	LANGUAGE_VERSION, /* from its version alone */
	LANGUAGE_ORIGINS
};

enum {
	LANGUAGE_NAME_MAX = 128,  /* of a macro, a standard or an option, with its end */
	LANGUAGE_VALUE_MAX = 512, /* of a macro, with its end */
	LANGUAGE_LIST_MAX = 1024, /* of each list */
	LANGUAGE_STANDARDS_MAX = 16
};

/*
 * Whether the bytes are a profile: names of macros are identifiers, values are of one line, options
 * begin with a dash, nothing has a control character, and lists are bounded as above.
 * STATUS_CORRUPT says what is not; STATUS_NO_MEMORY.
 */
enum status language_check(const uint8_t *bytes, size_t size, struct error *error);

/* The same, and the message: the caller's, predictd__language__free_unpacked. */
enum status language_unpack(const uint8_t *bytes, size_t size, Predictd__Language **language,
                            struct error *error);

/* "asked of its compiler": static storage; any number will do. */
const char *language_origin_text(uint32_t origin);

/* What tells profiles apart: equal for equal bytes, in every daemon; 0 for none. */
uint64_t language_id(const uint8_t *bytes, size_t size);

#endif
