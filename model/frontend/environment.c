/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, their cells, and how values join after branches and jumps. */
#include "model/frontend/lower.h"

#include <stdlib.h>
#include <string.h>

/* ---- variables ------------------------------------------------------------------------------ */

static struct variable *slot_find(struct lower *l, CXCursor declaration, unsigned hash)
{
	uint32_t mask = l->variable_capacity - 1;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		struct variable *variable = &l->variables[i];
		if (clang_Cursor_isNull(variable->declaration) ||
		    (variable->hash == hash &&
		     clang_equalCursors(variable->declaration, declaration)))
			return variable;
	}
}

struct variable *variable_find(struct lower *l, CXCursor declaration)
{
	if (l->variable_capacity == 0)
		return NULL;
	struct variable *variable = slot_find(l, declaration, clang_hashCursor(declaration));
	if (clang_Cursor_isNull(variable->declaration) || !variable->is_bound)
		return NULL;
	return variable;
}

static bool variables_grow(struct lower *l)
{
	uint32_t capacity = l->variable_capacity == 0 ? 64 : l->variable_capacity * 2;
	struct variable *old = l->variables;
	uint32_t old_capacity = l->variable_capacity;
	struct variable *grown = malloc(capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	for (uint32_t i = 0; i < capacity; i++)
		grown[i] = (struct variable){.declaration = clang_getNullCursor()};
	l->variables = grown;
	l->variable_capacity = capacity;
	for (uint32_t i = 0; i < old_capacity; i++)
		if (!clang_Cursor_isNull(old[i].declaration))
			*slot_find(l, old[i].declaration, old[i].hash) = old[i];
	free(old);
	return true;
}

struct variable *variable_bind(struct lower *l, CXCursor declaration)
{
	if (l->variable_count * 2 >= l->variable_capacity && !variables_grow(l)) {
		lower_fail(l, declaration, "too large");
		return NULL;
	}
	unsigned hash = clang_hashCursor(declaration);
	struct variable *variable = slot_find(l, declaration, hash);
	if (clang_Cursor_isNull(variable->declaration))
		l->variable_count++;
	*variable = (struct variable){.declaration = declaration, .hash = hash, .is_bound = true};
	return variable;
}

/* ---- cells ---------------------------------------------------------------------------------- */

uint32_t cells_new(struct lower *l, const struct layout *layout)
{
	uint32_t first = l->cell_count;
	if (layout->count > LOWER_CELLS_MAX - first) {
		lower_fail(l, l->frame->declaration, "too many variables");
		return 0;
	}
	if (first + layout->count > l->cell_capacity) {
		uint32_t capacity = (first + layout->count) * 2 + 64;
		struct cell *grown = realloc(l->cells, capacity * sizeof(*grown));
		if (grown == NULL) {
			lower_fail(l, l->frame->declaration, "too large");
			return 0;
		}
		l->cells = grown;
		l->cell_capacity = capacity;
	}
	for (uint32_t i = 0; i < layout->count; i++)
		l->cells[first + i] = (struct cell){.leaf = layout->leaves[i]};
	l->cell_count += layout->count;
	return first;
}

void cell_set(struct lower *l, uint32_t cell, struct value value)
{
	if (l->trail_count == l->trail_capacity) {
		uint32_t capacity = l->trail_capacity * 2 + 256;
		struct change *grown = capacity > (LOWER_CHANGES_MAX << 1)
		                               ? NULL
		                               : realloc(l->trail, capacity * sizeof(*grown));
		if (grown == NULL) {
			lower_fail(l, l->frame->declaration, "too many assignments");
			return;
		}
		l->trail = grown;
		l->trail_capacity = capacity;
	}
	l->trail[l->trail_count++] = (struct change){cell, l->cells[cell].value};
	l->cells[cell].value = value;
}

struct value cell_get(struct lower *l, uint32_t cell, CXCursor at)
{
	struct cell *c = &l->cells[cell];
	if (c->value.kind != VALUE_NONE)
		return c->value;
	/* a variable that nothing was assigned to: any value will do */
	if (c->leaf.is_pointer) {
		lower_fail(l, at, "pointer without a value");
		return (struct value){0};
	}
	return value_node(node_zero(l, c->leaf.type));
}

uint32_t cell_at(struct lower *l, const struct pointer *pointer, uint64_t offset)
{
	uint32_t low = 0, high = pointer->cells;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (l->cells[pointer->base + middle].leaf.offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return IR_NONE;
	const struct leaf *leaf = &l->cells[pointer->base + low - 1].leaf;
	if (offset - leaf->offset >= type_bytes(leaf->type))
		return IR_NONE;
	return pointer->base + low - 1;
}

/* ---- joining -------------------------------------------------------------------------------- */

static struct value pointer_join(struct lower *l, uint32_t condition, const struct pointer *yes,
                                 const struct pointer *no, CXCursor at)
{
	struct pointer joined = *yes;
	if (yes->target == POINTER_NULL)
		return value_pointer(*no);
	if (no->target == POINTER_NULL)
		return value_pointer(*yes);
	if (yes->target == POINTER_CHOICE || no->target == POINTER_CHOICE ||
	    yes->target != no->target || yes->base != no->base)
		return value_pointer(pointer_choose(l, condition, yes, no, at));
	if (yes->index == no->index && yes->scale == no->scale && yes->offset == no->offset)
		return value_pointer(joined);
	if (yes->target == POINTER_CELLS)
		return value_pointer(pointer_choose(l, condition, yes, no, at));
	struct type type = type_scalar(SCALAR_LONG);
	joined.index = node_select(l, NODE_PHI, type, condition, pointer_bytes(l, yes),
	                           pointer_bytes(l, no));
	joined.scale = 1;
	joined.offset = 0;
	return value_pointer(joined);
}

struct value value_join(struct lower *l, uint32_t condition, struct value yes, struct value no,
                        CXCursor at)
{
	if (yes.kind == VALUE_NONE)
		return no;
	if (no.kind == VALUE_NONE)
		return yes;
	if (yes.kind == VALUE_POINTER && no.kind == VALUE_POINTER)
		return pointer_join(l, condition, &yes.pointer, &no.pointer, at);
	if (yes.kind == VALUE_NODE && no.kind == VALUE_NODE) {
		if (yes.node == no.node)
			return yes;
		struct type type = node_type(l, yes.node);
		return value_node(node_select(l, NODE_PHI, type, condition, yes.node,
		                              convert_node(l, no.node, type)));
	}
	if (yes.kind == VALUE_AGGREGATE && no.kind == VALUE_AGGREGATE &&
	    yes.part_count == no.part_count) {
		size_t bytes = yes.part_count * sizeof(*yes.parts);
		struct value joined = yes;
		joined.parts = arena_alloc(&l->arena, bytes == 0 ? 1 : bytes);
		if (joined.parts == NULL) {
			lower_fail(l, at, "too large");
			return yes;
		}
		for (uint32_t i = 0; i < yes.part_count; i++)
			joined.parts[i] = value_join(l, condition, yes.parts[i], no.parts[i], at);
		return joined;
	}
	lower_fail(l, at, "values of different kinds meet");
	return yes;
}

struct changes trail_collect(struct lower *l, uint32_t mark)
{
	struct changes changes = {0};
	uint32_t count = l->trail_count - mark;
	if (count == 0)
		return changes;
	l->copied += count;
	changes.at = arena_alloc(&l->arena, count * sizeof(*changes.at));
	if (changes.at == NULL || l->copied > LOWER_CHANGES_MAX) {
		lower_fail(l, l->frame->declaration, "too many assignments under conditions");
		return (struct changes){0};
	}
	for (uint32_t i = mark; i < l->trail_count; i++) {
		struct cell *cell = &l->cells[l->trail[i].cell];
		if (cell->scratch != 0)
			continue;
		cell->scratch = 1;
		changes.at[changes.count++] = (struct change){l->trail[i].cell, cell->value};
	}
	for (uint32_t i = 0; i < changes.count; i++)
		l->cells[changes.at[i].cell].scratch = 0;
	return changes;
}

void trail_undo(struct lower *l, uint32_t mark)
{
	while (l->trail_count > mark) {
		struct change *change = &l->trail[--l->trail_count];
		l->cells[change->cell].value = change->value;
	}
}

void changes_apply(struct lower *l, const struct changes *changes)
{
	for (uint32_t i = 0; i < changes->count; i++)
		cell_set(l, changes->at[i].cell, changes->at[i].value);
}

/* Present state = condition ? yes : no, both as changes to the present state. */
static void changes_join(struct lower *l, uint32_t condition, const struct changes *yes,
                         const struct changes *no, CXCursor at)
{
	for (uint32_t i = 0; i < no->count; i++)
		l->cells[no->at[i].cell].scratch = i + 1;
	for (uint32_t i = 0; i < yes->count; i++) {
		struct cell *cell = &l->cells[yes->at[i].cell];
		struct value other =
		        cell->scratch != 0 ? no->at[cell->scratch - 1].value : cell->value;
		cell->scratch = 0;
		struct value joined = value_join(l, condition, yes->at[i].value, other, at);
		cell_set(l, yes->at[i].cell, joined);
	}
	for (uint32_t i = 0; i < no->count; i++) {
		struct cell *cell = &l->cells[no->at[i].cell];
		if (cell->scratch == 0)
			continue;
		cell->scratch = 0;
		struct value joined = value_join(l, condition, cell->value, no->at[i].value, at);
		cell_set(l, no->at[i].cell, joined);
	}
}

/* ---- branches ------------------------------------------------------------------------------- */

void branch_begin(struct lower *l, struct branch *branch, uint32_t condition, bool has_else,
                  unsigned line)
{
	struct ir_statement statement = statement_of(STATEMENT_BRANCH, line);
	*branch = (struct branch){.condition = condition, .outer_block = l->block};
	statement.condition = condition;
	statement.body = kernel_block(l->kernel);
	if (has_else)
		statement.otherwise = kernel_block(l->kernel);
	branch->statement = kernel_append(l->kernel, l->block, &statement);
	if (branch->statement == IR_NONE)
		lower_fail(l, l->frame->declaration, "too many statements");
}

void branch_arm(struct lower *l, struct branch *branch, unsigned arm)
{
	if (l->path_count == LOWER_PATH_MAX) {
		lower_fail(l, l->frame->declaration, "conditions nested too deeply");
		return;
	}
	if (l->failed)
		return;
	const struct ir_statement *statement = &l->kernel->statements[branch->statement];
	l->block = arm == 0 ? statement->body : statement->otherwise;
	struct condition condition = {branch->condition, arm == 0, NULL};
	if (arm == 0) {
		branch->outer_jump = l->innermost_jump;
		l->innermost_jump = -1;
	} else if (branch->ended[0]) {
		condition.settled = arena_alloc(&l->arena, sizeof(*condition.settled));
		if (condition.settled == NULL) {
			lower_fail(l, l->frame->declaration, "too large");
			return;
		}
		*condition.settled = branch->jump;
	}
	l->path[l->path_count++] = condition;
	branch->trail_mark = l->trail_count;
	branch->cache_mark = l->cache_count;
}

void branch_arm_end(struct lower *l, struct branch *branch, unsigned arm)
{
	if (l->failed)
		return;
	branch->arm[arm] = trail_collect(l, branch->trail_mark);
	branch->ended[arm] = l->terminated;
	if (arm == 0) {
		branch->jump = l->innermost_jump;
		if (branch->outer_jump > l->innermost_jump)
			l->innermost_jump = branch->outer_jump;
	}
	trail_undo(l, branch->trail_mark);
	l->cache_count = branch->cache_mark;
	l->terminated = false;
	l->path_count--;
	l->block = branch->outer_block;
}

void branch_end(struct lower *l, struct branch *branch, CXCursor at)
{
	if (l->failed)
		return;
	if (branch->ended[0] && branch->ended[1])
		l->terminated = true;
	else if (branch->ended[0])
		changes_apply(l, &branch->arm[1]);
	else if (branch->ended[1])
		changes_apply(l, &branch->arm[0]);
	else
		changes_join(l, branch->condition, &branch->arm[0], &branch->arm[1], at);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

void target_push(struct lower *l, struct target target, CXCursor at)
{
	if (l->target_count == LOWER_TARGETS_MAX) {
		lower_fail(l, at, "loops nested too deeply");
		return;
	}
	if (!target.is_label)
		target.label = clang_getNullCursor();
	target.trail_mark = l->trail_count;
	target.path_mark = l->path_count;
	l->targets[l->target_count++] = target;
}

void target_jump(struct lower *l, uint32_t index, bool is_next, bool needs_statement, CXCursor at)
{
	struct target *target = &l->targets[index];
	struct pending *pending = arena_alloc(&l->arena, sizeof(*pending));
	uint32_t path_count = l->path_count - target->path_mark;
	if (pending == NULL) {
		lower_fail(l, at, "too large");
		return;
	}
	pending->path = arena_alloc(&l->arena, path_count * sizeof(*pending->path) + 1);
	if (pending->path == NULL) {
		lower_fail(l, at, "too large");
		return;
	}
	if (path_count > 0)
		(void)memcpy(pending->path, l->path + target->path_mark,
		             path_count * sizeof(*pending->path));
	pending->path_count = path_count;
	pending->changes = trail_collect(l, target->trail_mark);
	pending->is_next = is_next;
	pending->before = target->pending;
	target->pending = pending;
	/* at the end of the target's own block there is nothing left to jump over */
	if (target->statement != IR_NONE && (is_next || !target->is_loop) &&
	    l->block == l->kernel->statements[target->statement].body)
		needs_statement = false;
	if (needs_statement && target->statement != IR_NONE) {
		struct ir_statement statement =
		        statement_of(is_next ? STATEMENT_NEXT : STATEMENT_EXIT, cursor_line(at));
		statement.target = target->statement;
		(void)kernel_append(l->kernel, l->block, &statement);
	}
	if ((int32_t)index > l->innermost_jump)
		l->innermost_jump = (int32_t)index;
	l->terminated = true;
}

/* Joins one jump: present = all of path hold ? then : present. Undefined order of conditions is
 * harmless, since those further in are looked at only where those further out hold. */
static void pending_join(struct lower *l, uint32_t index, const struct pending *pending,
                         CXCursor at)
{
	for (uint32_t i = 0; i < pending->changes.count && !l->failed; i++) {
		const struct change *change = &pending->changes.at[i];
		struct value present = l->cells[change->cell].value, joined = change->value;
		for (uint32_t p = pending->path_count; p-- > 0;) {
			const struct condition *condition = &pending->path[p];
			/* where the condition holds another jump left before, and is joined later
			 */
			if (condition->settled != NULL && *condition->settled <= (int32_t)index)
				continue;
			joined = condition->is_true
			                 ? value_join(l, condition->node, joined, present, at)
			                 : value_join(l, condition->node, present, joined, at);
		}
		cell_set(l, change->cell, joined);
	}
}

/*
 * Cells that the fall-through changed and a jump did not have to be chosen
 * between as well: extend each jump's changes to all cells that any path
 * changed since the target began.
 */
static void pending_complete(struct lower *l, uint32_t index, struct pending *pending)
{
	const struct target *target = &l->targets[index];
	uint32_t extra = 0;
	for (uint32_t i = 0; i < pending->changes.count; i++)
		l->cells[pending->changes.at[i].cell].scratch = 1;
	for (uint32_t i = target->trail_mark; i < l->trail_count; i++)
		if (l->cells[l->trail[i].cell].scratch == 0)
			extra++;
	if (extra > 0) {
		uint32_t count = pending->changes.count;
		struct change *grown = arena_alloc(&l->arena, (count + extra) * sizeof(*grown));
		l->copied += count + extra;
		if (grown == NULL || l->copied > LOWER_CHANGES_MAX) {
			lower_fail(l, l->frame->declaration, "too many jumps");
		} else {
			if (count > 0)
				(void)memcpy(grown, pending->changes.at, count * sizeof(*grown));
			/* the first trail entry of a cell holds its value at the target's beginning
			 */
			for (uint32_t i = target->trail_mark; i < l->trail_count; i++) {
				struct cell *cell = &l->cells[l->trail[i].cell];
				if (cell->scratch != 0)
					continue;
				cell->scratch = 1;
				grown[count++] = l->trail[i];
			}
			pending->changes = (struct changes){grown, count};
		}
	}
	for (uint32_t i = 0; i < pending->changes.count; i++)
		l->cells[pending->changes.at[i].cell].scratch = 0;
}

void target_join(struct lower *l, uint32_t index, bool is_next, CXCursor at)
{
	struct target *target = &l->targets[index];
	for (struct pending *p = target->pending; p != NULL && !l->failed; p = p->before) {
		if (p->is_next != is_next)
			continue;
		if (l->terminated) {
			/* the last jump is the state that the others are chosen against */
			trail_undo(l, target->trail_mark);
			changes_apply(l, &p->changes);
			l->terminated = false;
		} else {
			pending_complete(l, index, p);
			pending_join(l, index, p, at);
		}
	}
}

/* ---- scopes --------------------------------------------------------------------------------- */

bool scope_begin(struct lower *l, struct scope *scope, struct target target, CXCursor at)
{
	struct ir_statement statement = statement_of(STATEMENT_SCOPE, cursor_line(at));
	*scope = (struct scope){
	        .outer_block = l->block, .cache_mark = l->cache_count, .was_tail = l->is_tail};
	statement.body = kernel_block(l->kernel);
	target.statement = kernel_append(l->kernel, l->block, &statement);
	if (target.statement == IR_NONE)
		lower_fail(l, at, "too many statements");
	else
		target_push(l, target, at);
	if (l->failed)
		return false;
	scope->target = l->target_count - 1;
	l->block = statement.body;
	l->is_tail = false;
	return true;
}

void scope_end(struct lower *l, const struct scope *scope, CXCursor at)
{
	l->is_tail = scope->was_tail;
	if (!l->failed)
		target_join(l, scope->target, false, at);
	l->target_count = scope->target;
	l->block = scope->outer_block;
	if (l->cache_count > scope->cache_mark)
		l->cache_count = scope->cache_mark;
}
