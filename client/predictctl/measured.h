/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times from a file of `measure --csv`. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURED_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURED_H

#include "client/predictctl/cases.h"

/* measured_s: by case, NAN where it did not run. False after a complaint: of a time that is none,
 * too. */
bool measured_load(const char *path, const struct case_list *cases, double *measured_s);

#endif
