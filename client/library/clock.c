/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of all time limits. Alone, so that tests can put another in its place. */
#include "client/library/clock.h"

#include <time.h>

int64_t clock_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t end_earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns == 0 ? b_ns : b_ns == 0 || a_ns < b_ns ? a_ns : b_ns;
}

int64_t end_later(int64_t a_ns, int64_t b_ns)
{
	return a_ns == 0 || b_ns == 0 ? 0 : a_ns > b_ns ? a_ns : b_ns;
}
