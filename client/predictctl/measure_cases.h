/* SPDX-License-Identifier: Apache-2.0 */
/* Running a list of cases for real, with progress on a terminal. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H

#include "client/predictctl/ask.h"

/*
 * One measurement a case, with --csv printed as it is made; end with
 * predictd_measurements_free(m, cases->count). A case whose answer says that the launch is wrong,
 * or that there is no such kernel, is not run: a driver would say less, or crash. `answers` may be
 * empty.
 */
predictd_status measure_cases(const struct ask *ask, const struct options *options,
                              const char *device, const struct answers *answers,
                              predictd_measurement **measurements);

#endif
