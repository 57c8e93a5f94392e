/* SPDX-License-Identifier: Apache-2.0 */
/* Affine forms of the addresses of a launch. */
#ifndef PREDICTD_MODEL_EVALUATE_AFFINE_H
#define PREDICTD_MODEL_EVALUATE_AFFINE_H

#include "model/affine.h"

struct evaluator;

/*
 * Fills the address forms of every access.
 * requires evaluated lanes and trip counts; false when memory is short
 */
bool affine_run(struct evaluator *evaluator);

#endif
