/* SPDX-License-Identifier: Apache-2.0 */
/* Running a list of cases for real, with progress on a terminal. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H

#include "client/predictctl/ask.h"

/* One measurement a case; end with predictd_measurements_free(m, cases->count). */
predictd_status measure_cases(const struct ask *ask, const struct options *options,
                              const char *device, predictd_measurement **measurements);

#endif
