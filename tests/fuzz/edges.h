/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of edges of this process, one byte each, which libFuzzer reads after each input. */
#ifndef PREDICTD_TESTS_FUZZ_EDGES_H
#define PREDICTD_TESTS_FUZZ_EDGES_H

#include <stddef.h>
#include <stdint.h>

/* How many there are, 0 without libFuzzer, and the first of them. */
size_t edges_find(uint8_t **first);

#endif
