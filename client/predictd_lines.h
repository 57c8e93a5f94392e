/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each line of a kernel's source adds to its predicted time. <predictd.h> includes this.
 *
 * A line's time is what the kernel's follows of it: where all that the line does takes 1 % longer,
 * the kernel takes 1 % of that time longer. So lines, and what belongs to none, add up to the
 * kernel's time, and what is hidden behind a busier resource has little. A function that is inlined
 * has its own lines, whoever calls it; a macro counts where it is used.
 */
#ifndef PREDICTD_LINES_H
#define PREDICTD_LINES_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct predictd_line {
	const char *file; /* a header, as it was registered; "": the program's own source */
	uint32_t line;    /* 1-based */
	double time_s;
	const char *bottleneck; /* what it asks most of: "memory", "arithmetic", ... */
} predictd_line;

typedef struct predictd_lines {
	size_t count; /* at most 256; 0: the kernel was not analysed, or the model has none */
	const predictd_line *lines; /* that add anything, in the order of files and lines */
	double kernel_time_s;       /* what all of it adds up to */
	double rest_s;              /* of lines beyond those, which add least */
	double elsewhere_s;         /* of no line: the launch, work-groups */
} predictd_lines;

/*
 * Asks about one question. Takes about twice as long as predictd_predict, and is never kept. Only
 * the default model has lines. The caller frees the lines.
 */
predictd_status predictd_explain_lines(predictd_connection *connection,
                                       const predictd_question *question, predictd_lines **lines);
void predictd_lines_free(predictd_lines *lines); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
