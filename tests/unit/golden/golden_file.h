/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel file with expectations: its lines `// launch: ...` and `// expect: ...`.
 *
 * A launch line reads
 *   // launch: global=4096,4096 local=16,16 options="-DN=4" args=buffer:64M:r,uint:4096
 * with arguments as predictctl's --arg takes them, parted by commas. A buffer may say what it holds
 * (buffer:64K:r:int=i*8), of which the launch then has a sample: see golden_data.h.
 */
#ifndef PREDICTD_TESTS_GOLDEN_FILE_H
#define PREDICTD_TESTS_GOLDEN_FILE_H

#include "model/device/launch.h"

enum { GOLDEN_EXPECTATIONS_MAX = 160, GOLDEN_TEXT_MAX = 512 };

struct golden_line {
	unsigned line;
	bool is_launch; /* else an expectation */
	char text[GOLDEN_TEXT_MAX];
};

struct golden_file {
	const char *path;
	char *source; /* whole text; owned */
	size_t source_bytes;
	char options[GOLDEN_TEXT_MAX]; /* of the first launch line */
	unsigned count;
	struct golden_line lines[GOLDEN_EXPECTATIONS_MAX];
};

/* Reads a file and collects its lines. The caller ends it with golden_file_deinit. */
enum status golden_file_init(struct golden_file *file, const char *path, struct error *error);
void golden_file_deinit(struct golden_file *file);

/*
 * The launch that a launch line's text describes, in place of the one that *launch was, or of an
 * empty one. It holds its samples; ended with golden_launch_deinit in any case. STATUS_INVALID says
 * what is wrong with the text.
 */
enum status golden_launch(const char *text, struct launch *launch, struct error *error);
void golden_launch_deinit(struct launch *launch); /* accepts an empty one */

#endif
