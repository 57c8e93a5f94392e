/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of one operation as OpenCL C: each step waits for the one before, and
 * no compiler can fold two of them.
 */
#ifndef PREDICTD_CALIBRATOR_OP_SOURCE_H
#define PREDICTD_CALIBRATOR_OP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/ir/ops.h"
#include "model/ir/type.h"

struct op_chain {
	enum op_class op;          /* what is measured; NONE: how much of an addition and a product
	                              goes at once, on a CPU */
	enum op_class also;        /* what else costs as much, from the same steps; or NONE */
	unsigned types;            /* bits 1 << enum type_class */
	unsigned count;            /* operations a step, of op and also together */
	unsigned adds, muls, bits; /* other operations of a step, subtracted */
	unsigned steps;            /* of the longest straight line: fewer where one is long */
	unsigned rank;             /* 0: what most kernels are made of; 1: common; 2: rare;
	                              3: akin to another, which tells of it if need be */
	const char *step;          /* in x, y (of type T), n (int), z and w (T, arguments) */
	double y, z, w;            /* where the chain starts and what it uses */
};

/* The chains, most used first. */
extern const struct op_chain op_chains[];
extern const size_t op_chain_count;

/* True when the chain is of that type. */
int op_chain_has(const struct op_chain *chain, enum type_class type);

/* True when the chain is of that type and of ranks low to high, and says something of a device. */
bool op_chain_takes(const struct op_chain *chain, enum type_class type, unsigned low, unsigned high,
                    bool is_gpu);

/*
 * Writes kernel `v<index>_<steps>_<type>(global T *out, T y, T z, T w, int n)`:
 * straight-line, `steps` steps; 0 steps is the base that it is compared with.
 */
void op_source_vector(FILE *to, size_t index, enum type_class type, unsigned steps);

/*
 * Steps of the straight-line kernel by which throughput is told: few, so that the
 * chains of work-items behind overlap with a work-item's own.
 */
unsigned op_straight_steps(const struct op_chain *chain);

/*
 * Writes kernel `s_<type>(global T *out, T y, T z, T w, int n, int which, int trips)`:
 * a loop of `trips` times the steps of op_loop_of of chain `which` (an index of
 * op_chains). Only chains of ranks low to high.
 */
void op_source_loop(FILE *to, enum type_class type, unsigned low, unsigned high, bool is_gpu);

/* Of a chain in a loop: `steps` of a trip go round `chains`, and `trips` are timed against fewer.
 */
struct op_loop {
	unsigned chains, steps, trips, fewer;
};

struct op_loop op_loop_of(const struct op_chain *chain, enum type_class type, bool is_gpu);

#endif
