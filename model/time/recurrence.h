/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrences: what an iteration of a loop waits for the one before. */
#ifndef PREDICTD_MODEL_TIME_RECURRENCE_H
#define PREDICTD_MODEL_TIME_RECURRENCE_H

#include "model/machine/machine.h"

/* What a kind of processor takes for the steps from one iteration to the next, in seconds. */
struct recurrence_steps {
	double (*node_latency)(const struct machine *m, uint32_t node);
	/* what an operand of a node waits beyond that */
	double (*operand_latency)(const struct machine *m, uint32_t node, unsigned operand);
	double (*load_latency)(const struct machine *m, uint32_t access);
	/* what a variable of a loop waits to come out of a vector and go in again */
	double (*variable_latency)(const struct machine *m, uint32_t variable);
	/*
	 * Whether a loop reads by `load` what it has written by `store` so many iterations before,
	 * and what that waits on its way. Both count places of one array in the same way.
	 */
	bool (*is_forwarded)(const struct machine *m, const struct ir_statement *loop,
	                     uint32_t store, uint32_t load, double *apart, double *forward_s);
};

/* In how many iterations a loop reads what it wrote at a counted place; 0: in none, or not known.
 */
double iterations_apart(const struct ir_kernel *kernel, const struct ir_statement *loop,
                        uint32_t store, uint32_t load);

/*
 * What one iteration of a loop waits for the last, in the mean.
 *
 * distance  per node of the kernel; written
 */
double recurrence_time(const struct machine *m, const struct recurrence_steps *steps,
                       const struct ir_loop *of, double *distance);

#endif
