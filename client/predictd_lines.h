/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each line of a kernel's source adds to its predicted time, and how its launch fills the
 * device. <predictd.h> includes this.
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

/* How a launch fills the device. */
typedef struct predictd_occupancy {
	/* of a GPU: of a unit's room for work-items; of a CPU: of its cores; 0: not known */
	double share;
	double groups;      /* work-groups that a unit has at once */
	const char *limit;  /* "nothing", "work-groups of the launch", "group size", "registers" or
	                     * "local memory" */
	uint32_t registers; /* of 32 bits, that a work-item needs at most: an estimate; 0: of a CPU
	                     */
	uint64_t local_bytes; /* of a work-group */
	uint32_t multiple;    /* of which a work-group's size had better be one: a warp, a vector */
} predictd_occupancy;

typedef struct predictd_lines {
	size_t count; /* at most 256; 0: the kernel was not analysed, or the model has none */
	const predictd_line *lines; /* that add anything, in the order of files and lines */
	double kernel_time_s;       /* what all of it adds up to */
	double rest_s;              /* of lines beyond those, which add least */
	double elsewhere_s;         /* of no line: the launch, work-groups */
	predictd_occupancy occupancy;
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
