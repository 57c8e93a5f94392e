/* SPDX-License-Identifier: Apache-2.0 */
/* The word that somebody who mistyped one may have meant. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_NEAREST_H
#define PREDICTD_CLIENT_PREDICTCTL_NEAREST_H

#include <stddef.h>

/*
 * Of a list of words, a NULL after the last, the one with the fewest letters typed wrong, left out,
 * added or swapped with their neighbour; NULL where that is more than a third of them.
 */
const char *nearest(const char *word, const char *const *words);

/* "; did you mean WORD?" for the end of a message, or ""; a word ends at a colon, an = or a comma.
 */
const char *nearest_say(const char *word, const char *const *words, char text[64]);

#endif
