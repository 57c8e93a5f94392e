/* SPDX-License-Identifier: Apache-2.0 */
/* What work-items of a CPU keep across barriers, region by region. */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_CONTEXT_H
#define PREDICTD_MODEL_CODEGEN_POCL_CONTEXT_H

#include "model/codegen/codegen.h"

/* Between two barriers. */
struct barrier_region {
	double size;      /* of the loop over a row of work-items, in instructions of LLVM's */
	double work;      /* of them, those that take as long in vectors for all lanes */
	double moves;     /* loads and stores */
	bool is_short;    /* that loop is unrolled before vectors are looked for */
	bool has_pitch;   /* it has memory whose rows lie as far apart as an argument says */
	bool has_columns; /* and work-items of a column are lanes */
	bool is_switched; /* and nothing is a lane: it goes one of several ways by a number */
};

/* What is kept goes to its array or comes from there, in a block and a region. */
struct move {
	uint32_t region, block;
	bool is_store;
	bool is_again; /* what is stored is a vector already */
	double bytes;
	double widest_bytes; /* of what moves with it: as many lanes fit a vector */
	double count;        /* per work-item */
};

struct context {
	const struct machine *m;
	bool *has_barrier;   /* per block: in it, or within */
	uint32_t *region;    /* per node: where it is computed, from 1 on; 0: nowhere yet */
	uint32_t *used_in;   /* per node: the last region that loaded it */
	uint32_t *accessed;  /* per access: the region; 0: none */
	bool *is_place;      /* per node: places in memory follow from it */
	bool *is_left;       /* per node: a loop's variable that is needed behind the loop */
	bool *is_handed;     /* per node: a loop's variable that goes through an array */
	bool *is_index;      /* per node: a position as it is */
	bool *has_crossed;   /* per node: follows from what was kept */
	double *executions;  /* per node: of what computes it, per work-item */
	uint32_t *stack;     /* of nodes; each enters at most once */
	uint32_t *needed_in; /* per entry of the stack: the region */
	uint32_t *at;        /* per block that is gone through: the region that it is in */
	uint32_t *was_at;    /* per block: the region that it begins in */
	struct barrier_region *regions;
	struct move *moves;
	size_t move_count, move_room;
	bool has_failed;     /* no memory for more moves */
	uint32_t current;    /* region */
	double widest_bytes; /* of the variables that are handed on */
};

/* Finds regions and what moves between them; the context borrows the model. Sizes are not filled.
 */
enum status context_init(struct context *c, const struct machine *m, struct error *error);
void context_deinit(struct context *c);

/* Whether the position of an access follows from what was kept. */
bool context_crosses(const struct context *c, uint32_t access);

/* short_rows.c: fills what regions are, and how long a row of work-items is. */
void find_rows(struct context *c);
uint64_t row_length(const struct launch *launch);

/* straight_groups.c: whether LLVM unrolls the loops over all work-items. Requires find_rows. */
bool is_straight(const struct context *c);

#endif
