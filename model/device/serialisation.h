/* SPDX-License-Identifier: Apache-2.0 */
/* How often the lanes of a warp's atomic have to wait for each other. */
#ifndef PREDICTD_MODEL_DEVICE_SERIALISATION_H
#define PREDICTD_MODEL_DEVICE_SERIALISATION_H

#include <stdint.h>

/* The expected fullest of `bins` >= 1 where `balls` >= 0 fall at random; at least 1. */
double turns_at_random(double balls, double bins);

/*
 * Turns of global atomics on `count` sorted addresses of one warp: units of 1 << shift bytes
 * are served apart, each as often as its fullest address wants.
 */
double turns_of_units(const int64_t *sorted, unsigned count, unsigned shift);

/* The same of `lanes` lanes at random among `bytes`, in words of `word_bytes` > 0. */
double turns_of_units_at_random(double lanes, double bytes, double word_bytes, unsigned shift);

/* Turns of local atomics: lanes of the fullest bank, whether they meet in a word or not. */
double turns_of_banks(const int64_t *address, unsigned count, unsigned banks);

#endif
