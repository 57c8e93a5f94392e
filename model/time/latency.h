/* SPDX-License-Identifier: Apache-2.0 */
/* What the default model's terms of latency on GPUs and CPUs share. */
#ifndef PREDICTD_MODEL_TIME_LATENCY_H
#define PREDICTD_MODEL_TIME_LATENCY_H

#include "model/time/terms.h"

/* Address arithmetic that is no instruction of its own. */
bool is_within_address(const struct machine *m, uint32_t node);

/* An integer division by a constant is a product. */
bool is_divided_by_constant(const struct ir_kernel *kernel, const struct ir_node *node);

/* A product by a power of two, up to so many. */
bool is_scaled(const struct ir_kernel *kernel, const struct ir_node *node, int64_t most);

/* Between integers: the same register, or more or less of it. */
bool is_resized(const struct ir_kernel *kernel, const struct ir_node *n);

/* Seconds until the result of an addition of the node's type is there; 0: not calibrated. */
double add_latency_of(const struct device *device, const struct ir_node *node);

/* The class that a node is timed as; of a call `call`. */
enum op_class node_timed_class(const struct ir_kernel *kernel, uint32_t node, enum op_class call);

/* Seconds until data of the first level are there; of memory where there is none. */
double first_latency(const struct machine *m);

/*
 * Seconds until a load's data are there, from whichever level has them: what misses waits, and
 * with it so many that read the same (`abreast`) or are under way together (`ahead`). Requires
 * waits.
 */
double level_latency(const struct machine *m, uint32_t access, double abreast, double ahead);

/* Sets the term, and adds its row. */
void add_waiting(struct terms *t, double time_s, double turns);

#endif
