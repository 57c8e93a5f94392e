/* SPDX-License-Identifier: Apache-2.0 */
/* Affine forms of the addresses of a launch. */
#ifndef PREDICTD_MODEL_EVALUATE_ADDRESSES_H
#define PREDICTD_MODEL_EVALUATE_ADDRESSES_H

#include "model/evaluate/lanes.h"

/*
 * Fills the address forms of every access.
 * requires evaluated lanes and trip counts; false when memory is short
 */
bool affine_run(const struct lanes *lanes, struct evaluation *result);

#endif
