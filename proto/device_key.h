/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of devices: texts that name a device of a node across restarts, calibrations and other
 * devices that come and go. Daemon, calibrator and library make them by this one function.
 *
 *   uuid:<32 digits>-<8 digits>      where the driver gives a UUID that is not all zeros or ones
 *   pci:0000:3b:00.0-<8 digits>      else, where it gives a PCI address that is not all zeros
 *   name:<16 digits>                 else
 *
 * Digits are lower-case hexadecimal. The last ones are a hash (XXH3) of platform, vendor, name and
 * compute units: one GPU under two platforms is two devices, and so is a part of it. Of equals
 * in one list, all but the first end in ".1", ".2" and so on.
 */
#ifndef PREDICTD_PROTO_DEVICE_KEY_H
#define PREDICTD_PROTO_DEVICE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KEY_BYTES_MAX = 64,  /* with the final zero */
	KEY_TEXT_BYTES = 127 /* of platform, vendor and name count; the rest is left out */
};

/* What a driver says; texts end in a zero and may be empty, borrowed. */
struct key_identity {
	const char *platform, *vendor, *name;
	const char *uuid; /* 32 hexadecimal digits */
	const char *pci;  /* "0000:3b:00.0" */
	uint32_t compute_units;
};

/* The keys of a whole list: keys[i] is that of identities[i]. */
void keys_make(const struct key_identity *identities, size_t count, char (*keys)[KEY_BYTES_MAX]);

/* Its two steps: the key of one device by itself, then numbers for equals. */
void key_make(const struct key_identity *identity, char key[KEY_BYTES_MAX]);
void keys_number(char (*keys)[KEY_BYTES_MAX], size_t count);

/* How many equals stand before it in its list; 0: none. */
unsigned key_ordinal(const char *key);

/* Whether a text from outside has the form of a key: printable, without spaces, no index. */
bool key_is_valid(const char *text);

#endif
