/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: integers as multiples of ids, plus a value between two bounds. They are the integers that
 * the source means: a node of n bits has the form's value modulo 2^n, and that value itself where
 * it is signed, since signed arithmetic does not overflow.
 */
#ifndef PREDICTD_MODEL_SPLIT_FORM_H
#define PREDICTD_MODEL_SPLIT_FORM_H

#include "model/device/launch.h"

/* Each plus the dimension. The group's number times the group's size is TERM_GLOBAL - TERM_LOCAL.
 */
enum { TERM_GLOBAL = 0, TERM_LOCAL = 3, TERM_GROUP = 6, TERM_COUNT = 9 };

struct form {
	bool is_known;     /* else nothing below counts */
	int64_t low, high; /* of what comes on top */
	int64_t factors[TERM_COUNT];
};

/* That the multiples of a form, and nothing on top, are at most so much. */
struct guard {
	int64_t factors[TERM_COUNT];
	int64_t high;
};

enum { GUARDS_MAX = 32 };

/* What holds where an access stands. */
struct context {
	const struct ir_kernel *kernel;
	const struct launch *launch;
	uint32_t block;
	int64_t low[TERM_COUNT],
	        high[TERM_COUNT]; /* values of each id; low > high: never executed */
	unsigned guard_count;
	struct guard guards[GUARDS_MAX];
	uint64_t *looks; /* nodes that may still be looked at, of all contexts */
	/* forms that are known, by node, good where their serial is the context's */
	struct form *forms;
	uint32_t *serials, serial;
	uint32_t *last_serial; /* of all contexts of these forms */
	unsigned depth;
};

/* Forgets what is known of nodes, and all that held: ids go through the whole launch. */
void context_restart(struct context *context, uint32_t block);

/* Bounds on a form; false: not known. */
bool form_range(const struct context *context, const struct form *form, int64_t *low,
                int64_t *high);

/* Group numbers by global and local ids, where they are whole multiples. */
void form_normalise(const struct context *context, struct form *form);

struct form form_add(const struct form *a, const struct form *b);
struct form form_scale(const struct form *a, int64_t factor);
struct form form_constant(int64_t value);

/* The form of an integer node, as far as it follows the ids. */
struct form form_of(struct context *context, uint32_t node);
/* The same, but its value is the node's, not just equal to it modulo 2^n; unknown where it may not
 * be. */
struct form form_value(struct context *context, uint32_t node);

/* What holds where a condition is true, or false, by what is known of its operands in `by`. */
void guard_add(struct context *context, struct context *by, uint32_t condition, bool is_true);

/* 1: true for all work-items of the launch; 0: false for all; -1: neither is known. */
int condition_decide(struct context *context, uint32_t condition);

#endif
