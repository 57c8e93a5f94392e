/* SPDX-License-Identifier: Apache-2.0 */
/* Frames. */
#include "client/predictctl/watch.h"

#include <time.h>
#include <unistd.h>

#include "client/predictctl/interrupts.h"

void watch_init(struct watch *watch, const struct options *options)
{
	bool is_terminal = isatty(STDOUT_FILENO) == 1;
	*watch = (struct watch){.interval_s = options->interval_s,
	                        .left = options->frames,
	                        .is_screen = is_terminal && !options->json};
	if (watch->left == 0 && !is_terminal)
		watch->left = 1;
	interrupts_take(NULL);
}

void watch_frame(struct watch *watch)
{
	if (watch->is_screen)
		(void)fputs("\033[H\033[J", stdout);
	else if (watch->has_begun)
		(void)fputc('\n', stdout);
	watch->has_begun = true;
}

bool watch_pause(const struct watch *watch)
{
	struct timespec left = {.tv_sec = (time_t)watch->interval_s};
	left.tv_nsec = (long)(1e9 * (watch->interval_s - (double)left.tv_sec));
	while (!interrupts_came() && nanosleep(&left, &left) != 0)
		continue;
	return !interrupts_came();
}

bool watch_next(struct watch *watch)
{
	/* who reads a frame has it now */
	if (fflush(stdout) != 0 || watch->left == 1)
		return false;
	watch->left -= watch->left > 0;
	return watch_pause(watch);
}
