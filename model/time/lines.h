/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each line of the source adds to a kernel's time.
 *
 * The model's time is a norm of resources' times, which are sums over what uses them. So it is
 * homogeneous, and by Euler's theorem the sum of what it follows of each use: a line's share is
 * d ln(time) / d ln(what the line asks of all resources). Shared out like that, costs add up
 * (Aumann and Shapley's prices: Billera, Heath, Math. Oper. Res. 7(1), 1982); what stands in the
 * shadow of a busier resource gets little. Terms note who asks for what as they are added; what
 * nobody in the kernel asks for (the launch, work-groups) belongs to no line.
 */
#ifndef PREDICTD_MODEL_TIME_LINES_H
#define PREDICTD_MODEL_TIME_LINES_H

#include "model/time/terms.h"

/* For a kernel's places; NULL when memory is short. */
struct lines *lines_new(const struct machine *machine);
void lines_free(struct lines *lines); /* accepts NULL */

/*
 * Notes seconds of a resource: any unit, as long as all of that resource have the same. Each does
 * nothing where t->lines is NULL.
 */
void lines_add_node(const struct terms *t, enum bottleneck resource, uint32_t node, double time_s);
void lines_add_access(const struct terms *t, enum bottleneck resource, uint32_t access,
                      double time_s);
void lines_add_statement(const struct terms *t, enum bottleneck resource, uint32_t statement,
                         double time_s);

/* The same of what the statement asks for that a block belongs to; of the kernel's body: the
 * kernel.
 */
void lines_add_block(const struct terms *t, enum bottleneck resource, uint32_t block,
                     double time_s);

/* The operations and iterations that `a` is made of, by how all of it follows each. */
void lines_add_arithmetic(const struct terms *t, const struct arithmetic *a);

/*
 * Of each access what footprint_misses says that it causes, zeroed, or NULL; then what that takes
 * of the level.
 */
struct footprint_traffic *lines_causes(const struct terms *t);
void lines_add_traffic(const struct terms *t, const struct level *level);

/*
 * What nodes wait for on the longest chain of each stretch of code.
 *
 * depth     per node: seconds until it is there, from the beginning of its stretch
 * stretch   per block, its stretch: below block_count, IR_NONE for none. A chain leaves a stretch
 *           where an operand is none's, or `follows` says so
 * times     per stretch: how often it runs
 */
struct chain_rules {
	const double *depth;
	uint32_t (*stretch_of)(const struct machine *m, uint32_t block);
	bool (*follows)(const struct machine *m, uint32_t block, uint32_t operand_block);
	double (*times)(const struct machine *m, uint32_t stretch);
};
void lines_add_chains(const struct terms *t, const struct chain_rules *rules);

/*
 * Fills the shares, by the prediction's elasticities.
 *
 * stalled  of the whole, the share that cores wait for memory and do nothing else
 */
void lines_fill(const struct terms *t, double stalled, struct prediction_lines *result);

#endif
