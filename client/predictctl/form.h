/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel's text says of its sizes: expressions as linear forms of where a work-item is.
 *
 * A form is sum(factor * place) + [low, high]; places are the ids of get_global_id, get_local_id
 * and get_group_id. What a buffer holds is within its range. Read without a compiler: macros with
 * parameters, calls and pointers that are moved are not followed, and what depends on them is not
 * known.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_FORM_H
#define PREDICTD_CLIENT_PREDICTCTL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORM_GLOBAL = 0, FORM_LOCAL = 3, FORM_GROUP = 6, FORM_PLACES = 9 };

struct form {
	double factor[FORM_PLACES];
	double low, high;
	bool is_known;
	bool is_moved; /* it rests on a name that takes other values later */
};

struct scope;

/*
 * A kernel's names: the macros of the text and of its build options, and what its body assigns.
 *
 * text     the whole source, and options its -D; both are copied
 * kernel   its name
 *
 * NULL when memory is short, or the text has no such kernel. scope_free ends it.
 */
struct scope *scope_new(const char *text, const char *options, const char *kernel);
void scope_free(struct scope *scope); /* accepts NULL */

/* A parameter's value. Before scope_read. */
void scope_set(struct scope *scope, const char *name, double value);

/* The numbers that a buffer holds, both included. Before scope_read. */
void scope_data(struct scope *scope, const char *name, double low, double high);

/* Work-items and work-group; without, loops that end at an id are not known. Before scope_read. */
void scope_range(struct scope *scope, const uint64_t global[3], const uint64_t local[3]);

/* Evaluates what the body assigns, in its order. Once more, it forgets what it had evaluated. */
void scope_read(struct scope *scope);

/*
 * How far a parameter is asked to be above a global id, as `if (i < n)` and `i >= n` do: of which
 * dimension, and how many of it each work-item takes. False where nothing compares it with one.
 */
bool scope_guard(const struct scope *scope, const char *name, unsigned *dimension, double *factor);

/* How many counters that begin at the same number in every work-item it bounds. */
unsigned scope_counts(const struct scope *scope, const char *name);

/* The group for which the body's local arrays were made, as its local ids index them; 0: not told.
 */
void scope_tile(const struct scope *scope, uint64_t local[3]);

/* Elements of the arrays that the text's functions declare for each work-item, all of them. */
double scope_private(const struct scope *scope);

/* Elements that the body reaches of a buffer by `name[index]`; 0 where no index is known. */
double scope_reach(const struct scope *scope, const char *name);

/*
 * Whether the body may reach anywhere: an index that is not bounded, or a buffer of integers
 * (`names`, `count` of them) that is passed on or walked by a pointer.
 */
bool scope_is_open(const struct scope *scope, const char *const *names, size_t count);

#endif
