/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shown again and again: frames. A terminal is cleared before each by two sequences that
 * each of them knows (ECMA-48: CUP, ED); a library for screens would be one more to install for
 * output that is never scrolled, coloured by cell or read from keys.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_WATCH_H
#define PREDICTD_CLIENT_PREDICTCTL_WATCH_H

#include "client/predictctl/options.h"

struct watch {
	double interval_s;
	uint32_t left; /* frames; 0: until Ctrl-C */
	bool is_screen, has_begun;
};

/* As --interval and --count say; without --count one frame where no terminal reads it. */
void watch_init(struct watch *watch, const struct options *options);
/* Before each frame. */
void watch_frame(struct watch *watch);
/* Waits for the next one; false: that was the last. */
bool watch_next(struct watch *watch);
/* Waits for an interval; false: Ctrl-C. */
bool watch_pause(const struct watch *watch);

#endif
