/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes an evaluation needs, when each is evaluated, and what decides about it.
 *
 * Nodes stand in lists, one per loop (list 0: outside all loops): a node belongs to the last loop
 * that it depends on, and its list is evaluated, in order of ids, whenever that loop's variables
 * change. Constant once it is made.
 */
#ifndef PREDICTD_MODEL_EVALUATE_SCHEDULE_H
#define PREDICTD_MODEL_EVALUATE_SCHEDULE_H

#include "model/evaluate/loops.h"
#include "model/evaluate/question.h"
#include "model/evaluate/rows.h"

enum schedule_flag {
	SCHEDULE_TAINTED = 1,  /* memory or the unknown has a part in it */
	SCHEDULE_VARIES = 2,   /* not the same for all work-items and iterations */
	SCHEDULE_OPAQUE = 4,   /* tainted by what cannot be drawn once for a whole loop */
	SCHEDULE_REDRAWN = 8,  /* by what can, but for loops around its place in one */
	SCHEDULE_BY_LANE = 16, /* a work-item's place in its group has a part in it */
	SCHEDULE_COUNTED = 32, /* a loop that data end has counted it */
	SCHEDULE_HELD = 64,    /* what a sample says has a part in it */
	SCHEDULE_STEERS = 128  /* has a part in where the kernel goes, not only in addresses */
};

struct schedule_list {
	uint32_t first, count;    /* its part of order[] */
	uint32_t condition_count; /* its first so many nodes serve the loop's condition */
};

struct schedule {
	const struct ir_kernel *kernel;
	const struct question *question;
	const struct rows *rows;
	/* per node */
	uint32_t *slot;  /* where its values are kept; IR_NONE: not needed */
	uint32_t *list;  /* 0: outside loops, else loop index + 1 */
	uint8_t *flags;  /* enum schedule_flag */
	uint32_t *alias; /* of a swizzle of one lane: the scalar it takes; else IR_NONE */
	uint32_t *order; /* needed nodes by list and id */
	struct schedule_list *lists;
	uint32_t slot_count;
	bool is_capped; /* not all that is needed has a slot */
};

/*
 * Finds the needed nodes and their lists; rows: of the question; lanes: of a slot. Fills
 * is_stepped, has_sequence and has_held of facts. False when memory is short; freed with
 * schedule_deinit.
 */
bool schedule_init(struct schedule *schedule, const struct question *question,
                   const struct rows *rows, unsigned lanes, struct loop_facts *facts);
void schedule_deinit(struct schedule *schedule); /* accepts an empty one */

static inline bool schedule_has(const struct schedule *schedule, uint32_t node)
{
	return node != IR_NONE && schedule->slot[node] != IR_NONE;
}

/* Whether what was sampled decides where the kernel goes. */
bool schedule_is_steered(const struct schedule *schedule);

/*
 * Whether an integer is read from a hinted range, the same one in every
 * iteration of the loops around, or is where a row begins.
 */
bool drawn_once(const struct schedule *schedule, uint32_t node);

/* Whether a node has a part that is drawn anew in each iteration of that list's loop. */
bool drawn_within(const struct schedule *schedule, uint32_t node, uint32_t list);

/*
 * Whether a node has a part that was sampled, and that the loop of its list reads at another place
 * in each iteration: a condition of it may hold in one and not in the next. What is in order grows
 * until it is far enough.
 */
bool reads_along(const struct schedule *schedule, uint32_t node, uint32_t list);

/*
 * The loop-invariant step of a variable: next = variable + step (1) or - step
 * (-1); 0: next is something else. IR_NONE and 1: it never changes.
 */
int variable_step(const struct schedule *schedule, const struct ir_variable *variable,
                  uint32_t *step);

/* How far a variable gets in an iteration, where data choose between ways of it; 0: unknown. */
double variable_advance(const struct schedule *schedule, const struct ir_variable *variable);

#endif
