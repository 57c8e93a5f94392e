/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about a kernel of which too little is known. */
#ifndef PREDICTD_MODEL_ANSWER_FALLBACK_H
#define PREDICTD_MODEL_ANSWER_FALLBACK_H

#include "model/machine/input.h"

/*
 * A kernel that was not analysed, or too little of it: launch, dispatch and the bytes of its
 * buffers; the note gets the reason.
 */
void model_fallback(const struct model_input *input, const char *reason,
                    struct prediction *prediction);

#endif
