/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a kernel that is built anew: which of its values differ among the results. */
#ifndef PREDICTD_MODEL_WHATIF_DIFFER_H
#define PREDICTD_MODEL_WHATIF_DIFFER_H

#include "model/whatif/several.h"

/* Banks that a pad comes behind: 32 of 4 bytes. */
enum { SKEW_ROW_BYTES = 128 };

struct tree;

struct several_state {
	const struct ir_kernel *from;
	const struct launch *launch; /* as it was */
	const struct several *how;
	struct ir_kernel *to;
	unsigned copies;
	bool *varies, *object_varies; /* per node, per object of `from` */
	bool *is_wide;                /* per node: a vector of all results, SEVERAL_WIDTH */
	bool *follows;           /* per node: from a loop's sums; SEVERAL_SUMS, SEVERAL_SPLIT */
	uint32_t *made;          /* [copies][node_count] of `from`: nodes of `to` */
	uint32_t *object;        /* [copies][object_count] */
	uint32_t *statement;     /* of `to`, by one of `from` */
	uint32_t turns, turn;    /* the loop around the kernel and its counter, or IR_NONE */
	uint32_t part;           /* SEVERAL_SPLIT: which share of the loop's iterations */
	const struct tree *tree; /* SEVERAL_TREE: what is built anew */
	bool is_broken;
};

/* Values of results that are built beside each other, and whether all of the kernel can be. */
enum status state_init(struct several_state *s, const struct ir_kernel *kernel,
                       const struct launch *launch, const struct several *several);
void state_deinit(struct several_state *s);

bool state_fits(const struct several_state *s);

/* An integer that constants and the launch decide. */
bool value_of(const struct several_state *s, uint32_t id, int64_t *value);

/* What an integer variable grows by, in whatever type: size_t where a uint goes on by a size;
 * IR_NONE: it does not. */
uint32_t variable_growth(const struct ir_kernel *kernel, const struct ir_variable *variable);

/* SEVERAL_GROUPS: the step of a variable that goes on by the group's size; IR_NONE: another. */
uint32_t group_step(const struct several_state *s, const struct ir_variable *variable);

/* Whether what lies beside each other begins where a vector of all results may: each term of its
 * place is a multiple, whatever the work-item. */
bool access_is_aligned(const struct several_state *s, const struct ir_access *access);

/*
 * Whether an integer that becomes one of a vector is reckoned in as few bits as it is converted to:
 * a compiler narrows short * short + short, which C reckons as int.
 */
bool node_is_narrowed(const struct several_state *s, uint32_t id);

/* Whether the node is what results are told apart by. */
bool node_starts(const struct several_state *s, const struct ir_node *node);

/* SEVERAL_SUMS: whether a variable of the loop is a counter; else it is a sum. */
bool variable_counts(const struct several_state *s, const struct ir_variable *variable);

bool access_varies(const struct several_state *s, const struct ir_access *access);
/* Whether each of the results has its own. */
bool access_is_several(const struct several_state *s, const struct ir_access *access);

/*
 * ids.c: an id of one of the results in place of a node that is what they are told apart by; which
 * share of a loop's iterations a work-item has; and work-items of a group that have results of
 * their own, where others share their loop.
 */
struct type type_of_ids(void);
uint32_t id_made(struct several_state *s, const struct ir_node *node, unsigned copy);
uint32_t part_made(struct several_state *s);
uint64_t rows_of_group(const struct several_state *s);

#endif
