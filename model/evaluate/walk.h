/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the statement tree with a weight per lane and per warp; private to
 * evaluate/evaluate.c, walk.c, branch.c and loop.c. What is const here was found before it.
 */
#ifndef PREDICTD_MODEL_EVALUATE_WALK_H
#define PREDICTD_MODEL_EVALUATE_WALK_H

#include "model/evaluate/access.h"
#include "model/evaluate/arena.h"
#include "model/evaluate/chance.h"
#include "model/evaluate/dryrun.h"
#include "model/evaluate/hints.h"
#include "model/evaluate/parts.h"
#include "model/evaluate/slope.h"

/* A place that exits leave to: the weights of those that arrived. */
struct walk_target {
	uint32_t statement; /* IR_NONE: the kernel */
	float *weight, *warp_weight;
	float *again; /* of a loop: lanes, then warps, that go on with its next iteration */
	float *left;  /* of a loop: those that left it for a place further out; else NULL */
	struct walk_target *outer;
};

/* Divisions that may be branched around, in lists by block: 0: no more, else node + 1. */
struct walk_divisions {
	uint32_t *first; /* by block */
	uint32_t *next;  /* by node */
};

struct walk {
	const struct ir_kernel *kernel;
	const struct question *question;
	const struct warps *sampled;
	const struct schedule *schedule;
	const struct loop_facts *facts; /* by list */
	struct walk_divisions divisions;

	struct lanes *lanes;
	struct budget *budget;
	struct evaluation *result;  /* its blocks are counted; notes, doubts of what data decide */
	struct loop_tally *tallies; /* by list */
	struct access_tally *accesses;
	struct chances chances;
	struct dryrun dryrun;
	struct slope slope;
	struct parts parts;
	struct hints hints;
	struct arena arena; /* weights within each other */
	struct walk_target *targets;
	double lanes_total, warps_total; /* sums of what the samples stand for */
};

/*
 * Borrows what is const, lanes and result. False when memory is short; freed with walk_deinit in
 * any case.
 */
bool walk_init(struct walk *walk, struct lanes *lanes, const struct loop_facts *facts,
               uint64_t dryrun_budget, struct evaluation *result);
void walk_deinit(struct walk *walk); /* accepts an empty one */

/* All statements for the warps that are placed; false when memory is short. */
bool walk_run(struct walk *walk);

/* Requires all walks; fills blocks, accesses, loops and slope from what they counted. */
void walk_finish(struct walk *walk);

/* Statements; the weights are consumed, and become those of who comes to the end. */
void walk_block(struct walk *walk, uint32_t block, float *weight, float *warp_weight);
void walk_branch(struct walk *walk, const struct ir_statement *s, float *weight,
                 float *warp_weight);
void walk_loop(struct walk *walk, uint32_t statement, float *weight, float *warp_weight);

#endif
