/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target: one function that takes any bytes. With -Dfuzz=true libFuzzer
 * calls it; else tests/fuzz/replay.c does, with the corpus and mutants of it.
 */
#ifndef PREDICTD_TESTS_FUZZ_H
#define PREDICTD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
