/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times from a file of `measure --csv`. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURED_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURED_H

#include "client/predictctl/cases.h"

/* measured_s: by case, NAN where the file has none. False after a complaint. */
bool measured_load(const char *path, const struct case_list *cases, double *measured_s);

#endif
