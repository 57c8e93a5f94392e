/* SPDX-License-Identifier: Apache-2.0 */
/* A list of changes that is filled, and what it is of. */
#ifndef PREDICTD_MODEL_WHATIF_LIST_H
#define PREDICTD_MODEL_WHATIF_LIST_H

#include "model/whatif/whatif.h"

struct list {
	const struct ir_kernel *kernel;
	const struct device *device;
	const struct launch *launch;
	const struct evaluation *evaluation;
	struct prediction *prediction;
};

/* Of one kind and place once, as far as there is room. */
void list_add(const struct list *l, struct what_if what_if);

/* Loops over elements beside each other, which vectors load at once: short ones over a record, and
 * those that add up. */
void list_beside(const struct list *l);

/* Changes that are of CPUs alone. */
void list_of_cpu(const struct list *l);

/* Changes that are of GPUs alone. */
void list_of_gpu(const struct list *l);

#endif
