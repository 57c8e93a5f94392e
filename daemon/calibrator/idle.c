/* SPDX-License-Identifier: Apache-2.0 */
/* A device without work for a time. */
#include "daemon/calibrator/idle.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "daemon/calibrator/opencl.h"

/* A sleep ends up to 50 us late (PR_SET_TIMERSLACK's default): four times that is slept. */
#define SLEPT_S 2e-4

void idle_wait(double idle_s)
{
	double end_s = clock_now_s() + idle_s, whole_s;
	double part_s = modf(fmax(idle_s, 0), &whole_s);
	struct timespec rest = {.tv_sec = (time_t)whole_s, .tv_nsec = (long)(part_s * 1e9)};

	if (idle_s >= SLEPT_S)
		while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
			;
	while (idle_s > 0 && idle_s < SLEPT_S && clock_now_s() < end_s)
		;
}
