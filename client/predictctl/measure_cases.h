/* SPDX-License-Identifier: Apache-2.0 */
/* Running a list of cases for real, with progress on a terminal. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURE_CASES_H

#include "client/predictctl/ask.h"

/*
 * One measurement a case, with --csv printed as it is made; end with
 * predictd_measurements_free(m, cases->count). A case whose answer says that the launch is wrong,
 * or that there is no such kernel, is not run: a driver would say less, or crash. `answers` may be
 * empty. *others_share: the part of the processors that others had meanwhile; 0 where it took too
 * little to tell.
 */
predictd_status measure_cases(const struct ask *ask, const struct options *options,
                              const char *device, const struct answers *answers,
                              predictd_measurement **measurements, double *others_share);

/* "others had 54 % of the processors meanwhile ...", a line on standard output, where that is much
 * and kernels run on them. */
void others_print(predictd_device_type type, double others_share);

#endif
