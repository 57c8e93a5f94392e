/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goto. A label that is jumped to from before it ends a scope that begins with
 * the first statement to jump; one that is jumped to from after it begins a
 * loop that ends with the last. Where such stretches overlap the one grows
 * around the other; a jump into a loop or a block has no such form (Erosa,
 * Hendren, ICCL 1994, would move it; kernels hardly have any).
 */
#include "model/frontend/lower.h"

#include <string.h>

enum { STRETCHES_MAX = 64, GOTOS_MAX = 512, ITEMS_MAX = 1 << 14 };

/* A stretch of statements [first, end) that is a loop, or a scope that a label ends. */
struct stretch {
	CXCursor label;
	unsigned first, end;
	bool is_loop, is_open;
	unsigned jumps; /* to the label, from within */
};

struct labelled {
	CXCursor *items;  /* statements, labels off; null where a label labels a label */
	CXCursor *labels; /* of the item, or null */
	unsigned count;
	unsigned *with_label; /* the items that have one */
	unsigned label_count;
	struct stretch stretches[STRETCHES_MAX];
	unsigned stretch_count;
	bool was_tail;
};

static CXCursor goto_label(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	return list.count > 0 ? clang_getCursorReferenced(list.at[0]) : clang_getNullCursor();
}

/* Two cursors for one label differ in what they name as its parent. */
static bool is_label_of(CXCursor a, CXCursor b)
{
	return !clang_Cursor_isNull(a) && clang_getCursorKind(a) == clang_getCursorKind(b) &&
	       clang_equalLocations(clang_getCursorLocation(a), clang_getCursorLocation(b));
}

static bool has_labels(struct lower *l, CXCursor cursor, unsigned depth)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (kind == CXCursor_LabelStmt)
		return true;
	if (clang_isExpression(kind) || kind == CXCursor_DeclStmt || l->failed)
		return false;
	if (depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX) {
		lower_fail(l, cursor, "too large or nested too deeply");
		return false;
	}
	struct cursor_list list = cursor_children(l, cursor);
	for (unsigned i = 0; i < list.count; i++)
		if (has_labels(l, list.at[i], depth + 1))
			return true;
	return false;
}

/* ---- which stretches there are ----------------------------------------------------------------
 */

static void stretch_add(struct lower *l, struct labelled *s, CXCursor at, unsigned label,
                        unsigned from)
{
	bool is_loop = from >= label;
	for (unsigned i = 0; i < s->stretch_count; i++) {
		struct stretch *known = &s->stretches[i];
		if (known->is_loop != is_loop || !is_label_of(known->label, s->labels[label]))
			continue;
		known->jumps++;
		if (is_loop && from + 1 > known->end)
			known->end = from + 1;
		if (!is_loop && from < known->first)
			known->first = from;
		return;
	}
	if (s->stretch_count == STRETCHES_MAX) {
		lower_fail(l, at, "more than %d labels", STRETCHES_MAX);
		return;
	}
	s->stretches[s->stretch_count++] = (struct stretch){.label = s->labels[label],
	                                                    .first = is_loop ? label : from,
	                                                    .end = is_loop ? from + 1 : label,
	                                                    .is_loop = is_loop,
	                                                    .jumps = 1};
}

/* Every goto within item `from` to one of the labels. */
static void jumps_find(struct lower *l, struct labelled *s, CXCursor cursor, unsigned from,
                       unsigned depth)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (clang_isExpression(kind) || kind == CXCursor_DeclStmt || l->failed)
		return;
	if (depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX) {
		lower_fail(l, cursor, "too large or nested too deeply");
		return;
	}
	if (kind == CXCursor_GotoStmt) {
		CXCursor label = goto_label(l, cursor);
		l->scanned += s->label_count;
		for (unsigned i = 0; i < s->label_count && !l->failed; i++)
			if (is_label_of(s->labels[s->with_label[i]], label))
				stretch_add(l, s, cursor, s->with_label[i], from);
		return;
	}
	struct cursor_list list = cursor_children(l, cursor);
	for (unsigned i = 0; i < list.count; i++)
		jumps_find(l, s, list.at[i], from, depth + 1);
}

/* Makes any two stretches lie apart or one in the other. */
static void stretches_nest(struct lower *l, struct labelled *s, CXCursor at)
{
	bool has_changed = true;
	for (unsigned round = 0; has_changed && round < STRETCHES_MAX && !l->failed; round++) {
		has_changed = false;
		for (unsigned i = 0; i < s->stretch_count; i++)
			for (unsigned j = 0; j < s->stretch_count; j++) {
				struct stretch *a = &s->stretches[i], *b = &s->stretches[j];
				if (!(a->first < b->first && b->first < a->end && a->end < b->end))
					continue;
				has_changed = true;
				if (!b->is_loop)
					b->first = a->first;
				else if (a->is_loop)
					a->end = b->end;
				else
					lower_fail(l, at, "goto into a loop");
			}
	}
	if (has_changed)
		lower_fail(l, at, "goto into a loop");
}

/* ---- lowering ---------------------------------------------------------------------------------
 */

struct range {
	struct labelled *s;
	unsigned first, end;
};

static void range_lower(struct lower *l, struct labelled *s, unsigned first, unsigned end);

static void range_body(struct lower *l, void *data)
{
	const struct range *range = data;
	range_lower(l, range->s, range->first, range->end);
}

/* `if (c) goto label;` at the end of a loop that nothing else jumps back in: a do-while. */
static CXCursor last_condition(struct lower *l, const struct labelled *s,
                               const struct stretch *stretch)
{
	CXCursor none = clang_getNullCursor(), last = s->items[stretch->end - 1];
	if (stretch->jumps != 1 || clang_getCursorKind(last) != CXCursor_IfStmt)
		return none;
	struct cursor_list list = cursor_children(l, last);
	if (list.count != 2)
		return none;
	CXCursor then = list.at[1];
	if (clang_getCursorKind(then) == CXCursor_CompoundStmt) {
		struct cursor_list inner = cursor_children(l, then);
		if (inner.count != 1)
			return none;
		then = inner.at[0];
	}
	return clang_getCursorKind(then) == CXCursor_GotoStmt &&
	                       is_label_of(goto_label(l, then), stretch->label)
	               ? list.at[0]
	               : none;
}

static void loop_lower(struct lower *l, struct labelled *s, struct stretch *stretch)
{
	struct range range = {s, stretch->first, stretch->end};
	struct goto_loop jumps = {.label = stretch->label,
	                          .condition = last_condition(l, s, stretch),
	                          .statements = s->items + stretch->first,
	                          .count = stretch->end - stretch->first,
	                          .body = range_body,
	                          .data = &range};
	if (!clang_Cursor_isNull(jumps.condition))
		range.end--;
	lower_goto_loop(l, &jumps);
}

static void scope_lower(struct lower *l, struct labelled *s, struct stretch *stretch)
{
	const struct target target = {.is_label = true, .label = stretch->label};
	struct scope scope;
	if (!scope_begin(l, &scope, target, stretch->label))
		return;
	range_lower(l, s, stretch->first, stretch->end);
	scope_end(l, &scope, stretch->label);
}

/* The widest stretch that begins at an item and is not open yet. */
static struct stretch *stretch_at(struct labelled *s, unsigned first, unsigned end)
{
	struct stretch *widest = NULL;
	for (unsigned i = 0; i < s->stretch_count; i++) {
		struct stretch *stretch = &s->stretches[i];
		if (stretch->is_open || stretch->first != first || stretch->end > end)
			continue;
		if (widest == NULL || stretch->end > widest->end ||
		    (stretch->end == widest->end && !stretch->is_loop))
			widest = stretch;
	}
	return widest;
}

/* Items [first, end): stretches as what they are, the rest between them as sequences. */
static void range_lower(struct lower *l, struct labelled *s, unsigned first, unsigned end)
{
	bool was_tail = l->is_tail;
	for (unsigned i = first; i < end && !l->failed;) {
		struct stretch *stretch = stretch_at(s, i, end);
		if (stretch == NULL) {
			unsigned next = i + 1;
			while (next < end && stretch_at(s, next, end) == NULL)
				next++;
			l->is_tail = was_tail && next == end;
			if (!l->terminated)
				lower_sequence(l, s->items + i, next - i);
			i = next;
			continue;
		}
		stretch->is_open = true;
		l->is_tail = was_tail && stretch->end == end;
		if (!l->terminated && stretch->is_loop)
			loop_lower(l, s, stretch);
		else if (!l->terminated)
			scope_lower(l, s, stretch);
		i = stretch->end;
	}
	l->is_tail = was_tail;
}

bool lower_labelled(struct lower *l, const CXCursor *at, unsigned count)
{
	struct function_frame *frame = l->frame;
	unsigned labels = 0;
	if (frame == NULL || l->failed)
		return false;
	if (!frame->is_labelled_known) {
		frame->is_labelled_known = true;
		frame->is_labelled = has_labels(l, frame->body, 0);
	}
	if (!frame->is_labelled)
		return false;
	for (unsigned i = 0; i < count; i++)
		labels += clang_getCursorKind(at[i]) == CXCursor_LabelStmt;
	if (labels == 0)
		return false;
	struct labelled *s = arena_alloc(&l->arena, sizeof(*s));
	unsigned room = count + ITEMS_MAX;
	CXCursor *items = arena_alloc(&l->arena, room * sizeof(*items));
	CXCursor *names = arena_alloc(&l->arena, room * sizeof(*names));
	unsigned *with_label = arena_alloc(&l->arena, room * sizeof(*with_label));
	if (s == NULL || items == NULL || names == NULL || with_label == NULL) {
		lower_fail(l, frame->declaration, "too large");
		return true;
	}
	s->items = items;
	s->labels = names;
	s->with_label = with_label;
	for (unsigned i = 0; i < count && !l->failed; i++) {
		CXCursor item = at[i];
		while (clang_getCursorKind(item) == CXCursor_LabelStmt && !l->failed) {
			struct cursor_list list = cursor_children(l, item);
			CXCursor inner =
			        list.count > 0 ? list.at[list.count - 1] : clang_getNullCursor();
			if (clang_getCursorKind(inner) != CXCursor_LabelStmt)
				break;
			if (s->count == ITEMS_MAX) {
				lower_fail(l, item, "too many labels");
				break;
			}
			/* a label on a label: an item of its own, empty */
			s->labels[s->count] = item;
			s->items[s->count++] = clang_getNullCursor();
			item = inner;
		}
		bool is_label = clang_getCursorKind(item) == CXCursor_LabelStmt;
		s->labels[s->count] = is_label ? item : clang_getNullCursor();
		if (is_label) {
			struct cursor_list list = cursor_children(l, item);
			item = list.count > 0 ? list.at[list.count - 1] : clang_getNullCursor();
		}
		s->items[s->count++] = item;
	}
	for (unsigned i = 0; i < s->count; i++)
		if (!clang_Cursor_isNull(s->labels[i]))
			s->with_label[s->label_count++] = i;
	for (unsigned i = 0; i < s->count && !l->failed; i++)
		if (!clang_Cursor_isNull(s->items[i]))
			jumps_find(l, s, s->items[i], i, 0);
	stretches_nest(l, s, at[0]);
	range_lower(l, s, 0, s->count);
	return true;
}

void lower_goto(struct lower *l, CXCursor cursor)
{
	CXCursor label = goto_label(l, cursor);
	for (uint32_t i = l->target_count; i-- > 0 && !l->targets[i].is_function;)
		if (l->targets[i].is_label && is_label_of(l->targets[i].label, label)) {
			target_jump(l, i, l->targets[i].is_loop, true, cursor);
			return;
		}
	lower_fail(l, cursor, "goto into a block");
}
