/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launches that are split, read from a file of lines, `choose` writes it:
 *
 *   launch ID KERNEL FILE DIMENSIONS GLOBAL LOCAL DIMENSION   (sizes: 64,64; DIMENSION is split)
 *   options TEXT
 *   buffer BYTES r|w|rw INIT whole|split [LOW HIGH]
 *   local BYTES
 *   scalar TYPE VALUE...
 *   end
 *
 * FILE is relative to a folder of the caller's; INIT is predictctl's (predictctl(1)).
 */
#ifndef PREDICTD_TESTS_SPLIT_LAUNCHES_H
#define PREDICTD_TESTS_SPLIT_LAUNCHES_H

#include <stdio.h>

#include "tests/split/executor.h"

enum { ARGUMENTS_MAX = 24, LAUNCH_TEXT = 512 };

struct launch {
	char id[LAUNCH_TEXT], kernel[LAUNCH_TEXT], file[LAUNCH_TEXT], options[LAUNCH_TEXT];
	unsigned dimensions, dimension;
	size_t global[3], local[3];
	size_t argument_count;
	predictd_argument arguments[ARGUMENTS_MAX];
	bool is_split[ARGUMENTS_MAX];
	char words[ARGUMENTS_MAX][2][64]; /* init and type, which arguments point to */
	union scalar {
		char bytes[128];
		double alignment;
	} scalars[ARGUMENTS_MAX]; /* as clSetKernelArg takes them */
	size_t scalar_sizes[ARGUMENTS_MAX];
};

/* The next launch; false at the end. What is wrong in the file is fatal. */
bool launch_read(FILE *file, const char *path, struct launch *launch);

/* The question that it is to predictd. */
void launch_question(const struct launch *launch, const predictd_program *program,
                     predictd_question *question);

#endif
