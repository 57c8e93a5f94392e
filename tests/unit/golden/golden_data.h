/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a buffer of a golden launch holds, of which the launch has a sample as the library takes it.
 *
 * Written TYPE=FORMULA: element i is the formula's value, an integer that begins as i, changed by
 * operators from left to right: + - * / % ^ and < (1 or 0), each with a number behind it.
 * `int=i*8` are rows of eight, `uchar=i%64<8` is one of an eighth of bytes, `int=i*7919%65536`
 * places without an order.
 */
#ifndef PREDICTD_TESTS_GOLDEN_DATA_H
#define PREDICTD_TESTS_GOLDEN_DATA_H

#include "model/device/sample.h"

/* The caller's to release. STATUS_INVALID says what is wrong with the text. */
enum status golden_data(const char *text, uint64_t size_bytes, struct sample **sample,
                        struct error *error);

#endif
