/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corpus: random kernels of a seed of their own (tests/accuracy/generate) and common algorithms
 * (corpus/kernels), analysed when predictd was built, that a full calibration runs and compares
 * with the model.
 */
#ifndef PREDICTD_CALIBRATOR_CORPUS_H
#define PREDICTD_CALIBRATOR_CORPUS_H

#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "proto/predictd.pb-c.h"

struct corpus_case {
	const Predictd__MeasureCase *what; /* the corpus's */
	struct ir_kernel *kernel;
	struct launch launch;
};

struct corpus {
	Predictd__Corpus *message;
	struct corpus_case *cases;
	size_t count;
};

/* Unpacks the corpus that is built in. STATUS_CORRUPT, STATUS_NO_MEMORY. */
enum status corpus_init(struct corpus *corpus, struct error *error);
void corpus_deinit(struct corpus *corpus); /* accepts a zeroed one */

#endif
