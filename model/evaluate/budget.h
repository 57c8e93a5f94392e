/* SPDX-License-Identifier: Apache-2.0 */
/* What an evaluation may compute, and has computed: nodes times lanes. */
#ifndef PREDICTD_MODEL_EVALUATE_BUDGET_H
#define PREDICTD_MODEL_EVALUATE_BUDGET_H

#include <stdint.h>

struct budget {
	uint64_t limit, used;      /* of the walk */
	uint64_t drawn, draws_max; /* the same of iterations that are drawn */
};

#endif
