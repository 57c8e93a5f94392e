/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times from a file of `measure --csv`. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_MEASURED_H
#define PREDICTD_CLIENT_PREDICTCTL_MEASURED_H

#include "client/predictctl/cases.h"

/*
 * Times of a column, by case.
 *
 * is_optional  the column need not be there
 * measured_s   out: NAN where the case did not run, or has no such time
 *
 * False after a complaint: of a time that is none, too.
 */
bool measured_load(const char *path, const struct case_list *cases, const char *column,
                   bool is_optional, double *measured_s);

#endif
