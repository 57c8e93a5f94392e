/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of --arg, --global and --hint:
 *
 *   buffer:SIZE[:r|w|rw][:LOW..HIGH][:INIT]   TYPE:VALUE[,VALUE...]   local:SIZE   bytes:SIZE
 *   image:W[xH[xD]][:FORMAT][:r|w|rw]  sampler[:nearest|linear[,normalized][,repeat]]
 *   N[,N[,N]]   loop:LINE=TRIPS   branch:LINE=SHARE
 *
 * SIZE is a number with K, M or G (powers of 1024) or without; one VALUE fills every lane.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_ARGUMENTS_H
#define PREDICTD_CLIENT_PREDICTCTL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/predictd.h"

/* A type that a kernel takes by value. */
struct scalar_type {
	const char *name;     /* "float4" */
	uint8_t lanes, bytes; /* of one lane */
	bool is_real, is_unsigned;
};

/* The type of that name, or NULL. */
const struct scalar_type *scalar_type_find(const char *name);

/* "; did you mean float?" for the end of a message, or "": of types and kinds of arguments, of
 * image formats, of models. */
const char *scalar_type_say(const char *name, char text[64]);
const char *image_format_say(const char *name, char text[64]);
const char *model_say(const char *name, char text[64]);

/* Why a text was refused; at most one sentence. */
struct complaint {
	char text[256];
};

/*
 * Each returns false and says why in *why (where, wanted, got). A buffer's `init` is allocated, and
 * the caller's.
 */
bool size_parse(const char *text, uint64_t *size, struct complaint *why);
/*
 * Seconds, or a number with ns, us, ms, s, m (minutes), h or d behind it; finite, not negative,
 * 1e12 s at most. False without a word of why: callers say what they want.
 */
bool time_parse(const char *text, double *time_s);
bool sizes_parse(const char *text, uint64_t sizes[3], uint32_t *count, struct complaint *why);
bool argument_parse(const char *text, predictd_argument *argument, struct complaint *why);
bool hint_parse(const char *text, predictd_hint *hint, struct complaint *why);
bool access_parse(const char *text, unsigned *access);
bool model_parse(const char *text, predictd_model *model);

/* Sets lane `lane` of a scalar; false when the value does not fit the type. */
bool argument_set_integer(predictd_argument *argument, const struct scalar_type *type,
                          unsigned lane, int64_t value, struct complaint *why);

bool refuse(struct complaint *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The format of an image, or a sampler, of that name; static storage; NULL when it is none. */
const char *image_format_find(const char *name);
const char *sampler_find(const char *name);

#endif
