/* SPDX-License-Identifier: Apache-2.0 */
/* The sources that benchmarks ask about, new ones for each number. */
#ifndef PREDICTD_TESTS_BENCH_SOURCES_H
#define PREDICTD_TESTS_BENCH_SOURCES_H

#include <stddef.h>

enum { SOURCE_MAX = 1 << 16 };

enum source_kind {
	SOURCE_SMALL,  /* six lines */
	SOURCE_MIDDLE, /* forty: a kernel as people write them */
	SOURCE_LONG,   /* about 300: twenty-two helpers and a kernel that calls them */
	SOURCE_KINDS
};

/*
 * Writes a source of that kind into SOURCE_MAX bytes, unlike every one of another
 * number; returns its size. Each has a kernel `bench` of two buffers and a float.
 */
size_t source_write(char *text, enum source_kind kind, unsigned number);

unsigned source_lines(const char *text);

#endif
