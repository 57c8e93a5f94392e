/* SPDX-License-Identifier: Apache-2.0 */
/* What both kinds of processor ask of atomics; each has its own cpu/atomics.c or gpu/atomics.c. */
#ifndef PREDICTD_MODEL_TIME_ATOMICS_H
#define PREDICTD_MODEL_TIME_ATOMICS_H

#include "model/time/terms.h"

enum { LINE_BYTES = 128, WORD_BYTES = 4 }; /* of the 32 neighbours that are calibrated */

/* Addresses that an access can touch over the launch, and bytes of the lines in which they lie. */
double distinct_addresses(const struct machine *m, uint32_t access);
double bytes_touched(const struct machine *m, uint32_t access);

/*
 * Device-seconds of one add where all work-items add to neighbouring words of so many bytes, `line`
 * those of a line: between those calibrated by logarithms; further out an address each.
 */
double neighbours_time(const struct device *device, double line, double bytes);

/* The bottleneck that stands for the first cache that the units share. */
unsigned shared_level(const struct machine *m);

#endif
