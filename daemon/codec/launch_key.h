/* SPDX-License-Identifier: Apache-2.0 */
/* What tells one launch of a kernel from another: a hash, and words for people. */
#ifndef PREDICTD_DAEMON_CODEC_LAUNCH_KEY_H
#define PREDICTD_DAEMON_CODEC_LAUNCH_KEY_H

#include "model/device/launch.h"

/*
 * The launch that was observed: NDRange, local size (as asked), offset, sizes, formats and values
 * of arguments, samples of buffers, and the power of ten of the time without work before it.
 * Observations are filed and corrected by it: a launch on a device that sleeps, or of other data,
 * is another one, and what is measured of one would be wrong of the other. Two questions about the
 * same launch may differ in hints.
 */
uint64_t launch_key(const struct launch *launch);

/* The same with what a prediction may use besides: hints, ranges, accesses, idle_s itself. */
uint64_t launch_question_key(const struct launch *launch);

/* Work-items of the NDRange, >= 1. */
double launch_items(const struct launch *launch);

/* The arguments in the words of predictctl --arg, with blanks between; cut, with "...". */
void launch_format_arguments(const struct launch *launch, char *text, size_t room);

#endif
