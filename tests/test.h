/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka in its required order, and doubles compared by ratio. */
#ifndef PREDICTD_TESTS_TEST_H
#define PREDICTD_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* Fails unless got is within `relative` of want (of 1, where want is zero). */
#define assert_close(got, want, relative)                                                          \
	do {                                                                                       \
		double got_ = (got), want_ = (want);                                               \
		double scale_ = want_ == 0 ? 1 : fabs(want_);                                      \
		if (!(fabs(got_ - want_) <= (relative) * scale_))                                  \
			fail_msg("%s: got %.9g, want %.9g", #got, got_, want_);                    \
	} while (0)

#endif
