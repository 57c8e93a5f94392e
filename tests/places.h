/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that fail once each, by the places that they are made from: each place in the code
 * from which such a call is reached, however deep below it.
 *
 * The first time that a call comes through a place, the process forks. In the child the call
 * fails, and the child goes on to its end, which the parent awaits; in the parent nothing
 * fails. So one pass tries what takes a pass for each call otherwise, each from where the
 * failure is on, and no loop is tried more often than a person would.
 */
#ifndef PREDICTD_TESTS_PLACES_H
#define PREDICTD_TESTS_PLACES_H

#include <stdbool.h>

/* From now on one in so many places is tried; 0: none. */
void places_begin(unsigned one_in);

/* Whether the call that asks fails: true once, in a child. */
bool place_fails(void);

/* Whether this process is a child that has to end by places_end_child. */
bool places_is_child(void);

/* Ends a child: `wrong` is what it found wrong, or NULL. */
_Noreturn void places_end_child(const char *wrong);

/* How many places were tried since; *wrong of them did not end, or not well. */
unsigned places_end(unsigned *wrong);

#endif
