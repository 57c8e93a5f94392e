/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches: a scope with a chain of branches. Sections that fall through into
 * the next form a cluster; within it each section runs where any label of the
 * cluster so far matched.
 */
#include "model/frontend/lower.h"

enum { SECTIONS_MAX = 512, LABELS_MAX = 2048 };

struct section {
	uint32_t matched; /* node: one of its labels */
	bool is_default;
	bool falls_through;
	CXCursor *statements;
	unsigned count;
};

struct switching {
	struct section *sections;
	unsigned count;
	uint32_t value;
	struct type type;
	unsigned labels;
};

static uint32_t either(struct lower *l, uint32_t a, uint32_t b)
{
	if (a == IR_NONE)
		return b;
	return node_binary(l, NODE_OR, type_scalar(SCALAR_INT), a, b);
}

/* Whether the value is a label, or one of `low ... high`. */
static uint32_t label_matches(struct lower *l, const struct switching *s, const CXCursor *labels,
                              unsigned count)
{
	struct type truth = type_scalar(SCALAR_INT);
	uint32_t bounds[2];
	for (unsigned i = 0; i < count; i++)
		bounds[i] = convert_node(l, lower_node(l, labels[i]), s->type);
	write_operation(l, OP_CLASS_COMPARE, s->type, count);
	if (count == 1)
		return node_binary(l, NODE_EQ, truth, s->value, bounds[0]);
	return node_binary(l, NODE_AND, truth, node_binary(l, NODE_LE, truth, bounds[0], s->value),
	                   node_binary(l, NODE_LE, truth, s->value, bounds[1]));
}

/* Takes the labels off a statement; the rest is what they label. */
static bool labels_take(struct lower *l, struct switching *s, CXCursor *cursor,
                        struct section **now)
{
	bool starts_new = true;
	for (;;) {
		enum CXCursorKind kind = clang_getCursorKind(*cursor);
		if (kind != CXCursor_CaseStmt && kind != CXCursor_DefaultStmt)
			return true;
		struct cursor_list list = cursor_children(l, *cursor);
		if (starts_new) {
			if (s->count == SECTIONS_MAX) {
				lower_fail(l, *cursor, "more than %d cases", SECTIONS_MAX);
				return false;
			}
			*now = &s->sections[s->count++];
			(*now)->matched = IR_NONE;
			starts_new = false;
		}
		bool is_case = kind == CXCursor_CaseStmt;
		if (list.count < (is_case ? 2 : 1) || list.count > (is_case ? 3 : 1) ||
		    ++s->labels > LABELS_MAX || l->failed) {
			lower_fail(l, *cursor, "case of this form");
			return false;
		}
		if (is_case)
			(*now)->matched = either(l, (*now)->matched,
			                         label_matches(l, s, list.at, list.count - 1));
		else
			(*now)->is_default = true;
		*cursor = list.at[list.count - 1];
	}
}

/* The statements of `*body`: of a block, or itself alone. */
static bool sections_find(struct lower *l, struct switching *s, CXCursor *body)
{
	bool is_block = clang_getCursorKind(*body) == CXCursor_CompoundStmt;
	struct cursor_list list =
	        is_block ? cursor_children(l, *body) : (struct cursor_list){body, 1};
	struct section *now = NULL;
	s->sections = arena_alloc(&l->arena, SECTIONS_MAX * sizeof(*s->sections));
	if (s->sections == NULL) {
		lower_fail(l, *body, "too large");
		return false;
	}
	for (unsigned i = 0; i < list.count && !l->failed; i++) {
		if (!labels_take(l, s, &list.at[i], &now))
			return false;
		if (now == NULL) {
			/* what is declared before the cases is there in them */
			if (clang_getCursorKind(list.at[i]) != CXCursor_DeclStmt)
				lower_fail(l, list.at[i], "statement in a switch before its cases");
			lower_statement(l, list.at[i]);
			continue;
		}
		if (now->count == 0)
			now->statements = &list.at[i];
		now->count++;
		now->falls_through = !scan_ends_flow(l, list.at[i]);
	}
	if (s->count > 0)
		s->sections[s->count - 1].falls_through = false;
	return !l->failed;
}

/* The condition under which section `at` of the cluster that begins at `first` runs. */
static uint32_t reach(struct lower *l, struct switching *s, unsigned first, unsigned at,
                      uint32_t any)
{
	uint32_t condition = IR_NONE;
	for (unsigned i = first; i <= at && !l->failed; i++) {
		if (s->sections[i].matched != IR_NONE)
			condition = either(l, condition, s->sections[i].matched);
		if (s->sections[i].is_default)
			condition =
			        either(l, condition,
			               any == IR_NONE ? node_number(l, type_scalar(SCALAR_INT), 1)
			                              : node_unary(l, NODE_LNOT,
			                                           type_scalar(SCALAR_INT), any));
	}
	return condition;
}

static void section_body(struct lower *l, const struct section *section)
{
	for (unsigned i = 0; i < section->count && !l->failed && !l->terminated; i++) {
		/* the break that ends a section needs no jump */
		if (i + 1 == section->count &&
		    clang_getCursorKind(section->statements[i]) == CXCursor_BreakStmt)
			return;
		lower_statement(l, section->statements[i]);
	}
}

/* Sections of a cluster one after the other, each under its own condition. */
static void cluster_body(struct lower *l, struct switching *s, unsigned first, unsigned last,
                         uint32_t any, bool is_guarded)
{
	for (unsigned i = first; i <= last && !l->failed && !l->terminated; i++) {
		struct branch branch;
		uint32_t condition = reach(l, s, first, i, any);
		int64_t known;
		if (l->failed)
			return;
		bool is_certain =
		        (i == last && is_guarded) || kernel_constant(l->kernel, condition, &known);
		if (is_certain) {
			if ((i == last && is_guarded) || known != 0)
				section_body(l, &s->sections[i]);
			continue;
		}
		branch_begin(l, &branch, condition, false,
		             cursor_line(s->sections[i].statements[0]));
		branch_arm(l, &branch, 0);
		section_body(l, &s->sections[i]);
		branch_arm_end(l, &branch, 0);
		branch_end(l, &branch, s->sections[i].statements[0]);
	}
}

/* Clusters as a chain of else; the one with the default stands last. */
static void chain(struct lower *l, struct switching *s, const unsigned *firsts, unsigned count,
                  unsigned at, uint32_t any, CXCursor cursor)
{
	struct branch branch;
	if (at == count || l->failed)
		return;
	unsigned first = firsts[at], last = first;
	bool has_default = s->sections[first].is_default;
	while (s->sections[last].falls_through) {
		last++;
		has_default = has_default || s->sections[last].is_default;
	}
	if (has_default) {
		cluster_body(l, s, first, last, any, true);
		return;
	}
	uint32_t condition = reach(l, s, first, last, any);
	int64_t known;
	if (l->failed)
		return;
	if (kernel_constant(l->kernel, condition, &known)) {
		if (known != 0)
			cluster_body(l, s, first, last, any, true);
		else
			chain(l, s, firsts, count, at + 1, any, cursor);
		return;
	}
	bool has_else = at + 1 < count;
	branch_begin(l, &branch, condition, has_else, cursor_line(cursor));
	branch_arm(l, &branch, 0);
	cluster_body(l, s, first, last, any, true);
	branch_arm_end(l, &branch, 0);
	if (has_else) {
		branch_arm(l, &branch, 1);
		chain(l, s, firsts, count, at + 1, any, cursor);
		branch_arm_end(l, &branch, 1);
	}
	branch_end(l, &branch, cursor);
}

static void sections_lower(struct lower *l, struct switching *s, CXCursor cursor)
{
	unsigned *firsts = arena_alloc(&l->arena, (s->count + 1) * sizeof(*firsts));
	unsigned count = 0, standing = UINT32_MAX;
	uint32_t any = IR_NONE;
	if (firsts == NULL) {
		lower_fail(l, cursor, "too large");
		return;
	}
	for (unsigned i = 0; i < s->count; i++) {
		unsigned first = i;
		bool has_default = false;
		for (;; i++) {
			if (s->sections[i].matched != IR_NONE)
				any = either(l, any, s->sections[i].matched);
			has_default = has_default || s->sections[i].is_default;
			if (!s->sections[i].falls_through)
				break;
		}
		if (has_default)
			standing = first;
		else
			firsts[count++] = first;
	}
	if (standing != UINT32_MAX)
		firsts[count++] = standing;
	if (count > 64)
		lower_fail(l, cursor, "switch of more than 64 cases");
	chain(l, s, firsts, count, 0, any, cursor);
}

void lower_switch(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	struct switching s = {0};
	struct scope scope;
	if (list.count != 2) {
		lower_fail(l, cursor, "switch");
		return;
	}
	s.value = lower_node(l, list.at[0]);
	s.type = node_type(l, s.value);
	if (l->failed || !sections_find(l, &s, &list.at[1]))
		return;
	if (!scope_begin(l, &scope, (struct target){.is_switch = true}, cursor))
		return;
	sections_lower(l, &s, cursor);
	scope_end(l, &scope, cursor);
}
