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

/* The same, by what most changes are told by: where, and how much of it. */
void list_change(const struct list *l, enum what_if_kind kind, bool is_sure, uint32_t place,
                 uint32_t line, double detail);

/* Loops over elements beside each other, which vectors load at once: short ones over a record, and
 * those that add up. */
void list_beside(const struct list *l);

/* Fewer work-items that each do more, and more that each do less. */
void list_several(const struct list *l);

/* Buffers of rows that are read only, where places near in two dimensions lie near in an image. */
void list_images(const struct list *l);

/* Loops by all work-items, of which there are fewer groups than units: more groups share them. */
void list_more_groups(const struct list *l);

/* Changes that are of CPUs alone. */
void list_of_cpu(const struct list *l);

/* Changes that are of GPUs alone. */
void list_of_gpu(const struct list *l);

#endif
