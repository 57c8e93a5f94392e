/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Language profiles: what a device's compiler makes of a source before it reads the program itself,
 * its macros, default standard and build options, as a packed message (proto/predictd.proto,
 * Language). The calibrator asks the compiler, the calibration keeps it, the analyser parses by it.
 *
 * It comes from a driver, a file or another node: hostile until language_check.
 */
#ifndef PREDICTD_DAEMON_CODEC_LANGUAGE_H
#define PREDICTD_DAEMON_CODEC_LANGUAGE_H

#include "model/device/device.h"
#include "model/status.h"
#include "proto/predictd.pb-c.h"

#include <stdbool.h>
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
	LANGUAGE_STANDARDS_MAX = 16,
	LANGUAGE_TEXT_MAX = 512
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

/* "asked of the device's compiler": static storage; any number will do. */
const char *language_origin_text(uint32_t origin);

/* What tells profiles apart: equal for equal bytes, in every daemon; 0 for none. */
uint64_t language_id(const uint8_t *bytes, size_t size);

/* ---- making one ---------------------------------------------------------------------------- */

struct language_macro {
	const char *name, *value;
};

/* A build of that option, empty for none, and the macros that it defined, in any order. */
struct language_standard {
	const char *option;
	bool is_refused;
	const struct language_macro *macros;
	size_t count;
};

struct language_option {
	const char *name;
	bool is_refused;
};

/* All borrowed. A name twice in a list counts once: the first. */
struct language_answers {
	enum language_origin origin;
	const struct language_standard *standards;
	size_t standard_count;
	const char *const *asked; /* names of macros: undefined where no standard defined them */
	size_t asked_count;
	const struct language_option *options;
	size_t option_count;
};

/*
 * Packs them, sorted, as the device's profile, which is unchanged on error. STATUS_CORRUPT: a name
 * or value that is none (language_check); STATUS_INVALID: every standard is refused; STATUS_LIMIT:
 * more than DEVICE_LANGUAGE_MAX bytes; STATUS_NO_MEMORY.
 */
enum status language_pack(const struct language_answers *answers, struct device *device,
                          struct error *error);

/* What a driver lists of a device. Names are parted by blanks; those that are none are passed by.
 */
struct language_lists {
	const char *extensions;   /* CL_DEVICE_EXTENSIONS */
	const char *features;     /* CL_DEVICE_OPENCL_C_FEATURES */
	const unsigned *versions; /* of OpenCL C, 120 for 1.2: CL_DEVICE_OPENCL_C_ALL_VERSIONS */
	size_t version_count;
};

/*
 * The profile of a device whose compiler was not asked, by what OpenCL's specification says of its
 * version (CL_DEVICE_VERSION) and of the lists, or of the version alone (lists NULL). A version
 * that cannot be read, or lists too long for a profile, leave it without one. STATUS_NO_MEMORY.
 */
enum status language_assume(const struct language_lists *lists, struct device *device,
                            struct error *error);

/* The device's profile, the caller's (predictd__language__free_unpacked); NULL: it has none. */
Predictd__Language *language_of(const struct device *device);

/* Of its profile. */
enum language_origin language_origin(const struct device *device);

/* Whether more was asked for the profile of `a`: its compiler, its driver's lists, nobody. */
bool language_is_nearer(const struct device *a, const struct device *b);

/* `to` gets the profile of `from`. */
void language_copy(const struct device *from, struct device *to);

/*
 * For people: "OpenCL C 3.0 by default, CL1.2 CL3.0, 57 macros, asked of the device's compiler".
 * The macros are those of the default standard. Printable, cut where it gets too long.
 */
void language_describe(const Predictd__Language *language, char text[LANGUAGE_TEXT_MAX]);

/*
 * The same, whether it was assumed, and the options that are refused, in an answer's message; a
 * device without a profile leaves it as it is. False when memory is short: then the message holds a
 * part.
 */
bool language_tell(const struct device *device, Predictd__Device *message);

/* ---- names (language_names.c) -------------------------------------------------------------- */

enum language_names {
	LANGUAGE_NAMES_EXTENSION, /* Khronos's extensions */
	LANGUAGE_NAMES_FEATURE,   /* of OpenCL C 3.0 */
	LANGUAGE_NAMES_VENDOR,    /* vendors' extensions */
	LANGUAGE_NAMES_OTHER,     /* other macros that programs ask for */
	LANGUAGE_NAMES_OPTION,    /* build options that read and write no file */
	LANGUAGE_NAMES_STANDARD,  /* build options that choose a standard; none first */
	LANGUAGE_NAMES_KINDS
};

/* Those known of a kind, and NULL behind the last. Static storage. */
const char *const *language_names(enum language_names kind);

#endif
