/* SPDX-License-Identifier: Apache-2.0 */
/* A dry run under way; private to model/dryrun*.c. */
#ifndef PREDICTD_MODEL_EVALUATE_DRYRUN_STATE_H
#define PREDICTD_MODEL_EVALUATE_DRYRUN_STATE_H

#include "model/evaluate/dryrun.h"

enum { DRYRUN_WIDTH = 16 /* of a vector */ };

/*
 * What was stored so far to an array or buffer, in scalars: a table by place (open addressing,
 * which ends where a place is free).
 */
struct dryrun_array {
	uint64_t *place; /* in units, and one; 0: free */
	int64_t *value;
	uint8_t *ground;
	uint32_t *stored;    /* when; of local memory that no atomics change */
	uint32_t size, used; /* of the table: a power of two */
	uint32_t unit_bytes;
	uint32_t last; /* where in the table something was stored last, or IR_NONE */
	bool is_full;  /* something found no place */
};

struct dryrun_state {
	const struct schedule *schedule;
	const struct ir_kernel *kernel;
	struct dryrun *result;
	unsigned item;
	uint64_t ids[9];
	bool is_signed; /* reals of memory lie around zero */
	uint64_t left;  /* values that may still be computed */

	/*
	 * A node's value holds as long as no loop that it depends on has gone on since: stamps
	 * count such changes. What statements give (loads, loops' variables) holds until the next
	 * time.
	 */
	uint32_t now, item_stamp;
	uint32_t barrier_stamp; /* when this work-item began, or met a barrier */
	uint32_t *list_stamp;   /* per list: when it or one around it has gone on; last: never */
	uint32_t *list_end;     /* per list: behind all that lie within it */
	uint32_t *held_by;      /* per node: the list whose stamp ends what it holds */
	uint8_t *is_active;     /* per list: its loop is being run */
	uint8_t *must_run;      /* per list: something depends on it */
	uint32_t *offset;       /* per node: of its value, in lanes; IR_NONE: not wanted */
	uint32_t *stamp;        /* per node; 0: never */
	uint32_t *met_stamp;    /* per node: when a branch asked it last */
	uint8_t *ground;        /* per node */
	uint16_t *met_value;    /* per node: what the branch was told, and its ground << 1 */
	uint8_t *pending;       /* per node: the ground of what a variable takes next */
	int64_t *value;
	uint32_t *stack;
	uint8_t *is_written;         /* per object: by this kernel */
	uint8_t *is_object_wanted;   /* per object: what is stored there matters */
	struct dryrun_array *arrays; /* per object */
	uint8_t *has_jump; /* per statement: a branch from within which something leaves */
	uint32_t target;   /* where a jump goes */
};

/* Marks what decisions rest on and takes the memory for it: see evaluate/dryrun_slice.c. */
bool dryrun_prepare(struct dryrun_state *state);

/* The value of a wanted node; its lanes; *ground: what it rests on. See evaluate/dryrun_node.c. */
const int64_t *dryrun_value(struct dryrun_state *state, uint32_t node, uint8_t *ground);

/* Executes an access: see evaluate/dryrun_memory.c. */
void dryrun_access(struct dryrun_state *state, uint32_t access);

/* Forgets what the work-item before kept for itself. */
void dryrun_forget(struct dryrun_state *state);

/* A loop, or all (list 0), has gone on. */
static inline void dryrun_go_on(struct dryrun_state *state, uint32_t list)
{
	state->now++;
	for (uint32_t i = list; i < state->list_end[list]; i++)
		state->list_stamp[i] = state->now;
}

static inline bool dryrun_wants(const struct dryrun_state *state, uint32_t node)
{
	return node != IR_NONE && state->offset[node] != IR_NONE;
}

#endif
