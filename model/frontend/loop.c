/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops. What the body may assign is found by a scan ahead and becomes the
 * loop's variables; everything else keeps its value. What a condition reads of memory is read
 * before the loop where it stays the same; else a branch at the head of an endless loop tests it.
 */
#include "model/frontend/lower.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the parts of a for ---------------------------------------------------------------------- */

/* Where what begins with a quote ends: at the next one like it that is not escaped, or the end. */
static const char *quote_end(const char *c, const char *end)
{
	char quote = *c;
	for (c++; c < end && *c != quote; c++)
		if (*c == '\\')
			c++;
	return c < end ? c : end;
}

static bool is_in_word(const char *text, const char *c)
{
	return c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_');
}

/*
 * Which of `( init ; condition ; increment )` are not empty, from C text that
 * begins at a '('. False where the text ends or makes no sense.
 */
static bool parts_parse(const char *c, const char *end, bool present[3])
{
	unsigned part = 0, depth = 0;
	present[0] = present[1] = present[2] = false;
	for (; c < end; c++) {
		if (isspace((unsigned char)*c))
			continue;
		if (*c == '/' && c + 1 < end && c[1] == '*') {
			for (c += 2; c + 1 < end && !(c[0] == '*' && c[1] == '/'); c++)
				;
			c++;
			continue;
		}
		if (*c == '/' && c + 1 < end && c[1] == '/') {
			while (c < end && *c != '\n')
				c++;
			continue;
		}
		if (*c == '\\' && c + 1 < end && (c[1] == '\n' || c[1] == '\r'))
			continue;
		if (*c == '\'' || *c == '"') {
			c = quote_end(c, end);
		} else if (*c == ')' || *c == ']' || *c == '}') {
			if (depth <= 1)
				return depth == 1 && part == 2;
			depth--;
		} else if (*c == '(' || *c == '[' || *c == '{') {
			if (depth++ == 0)
				continue;
		} else if (*c == ';' && depth == 1) {
			if (++part > 2)
				return false;
			continue;
		}
		if (depth == 0)
			return false;
		present[part] = true;
	}
	return false;
}

static bool parts_in_source(struct lower *l, CXCursor cursor, bool present[3])
{
	const char *text;
	size_t offset, bytes;
	CXSourceLocation begin = clang_getRangeStart(clang_getCursorExtent(cursor));
	if (!translation_text(l->translation, begin, &text, &offset, &bytes) ||
	    bytes - offset < 4 || strncmp(text + offset, "for", 3) != 0)
		return false;
	const char *c = text + offset + 3, *end = text + bytes;
	while (c < end && *c != '(') {
		if (!isspace((unsigned char)*c))
			return false;
		c++;
	}
	return parts_parse(c, end, present);
}

/* The ordinal of a for among those of a function, in the order of the text. */
static bool for_ordinal(struct lower *l, CXCursor in, CXCursor wanted, unsigned *ordinal,
                        unsigned depth)
{
	if (l->failed || depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX)
		return false;
	if (clang_getCursorKind(in) == CXCursor_ForStmt) {
		if (clang_equalCursors(in, wanted))
			return true;
		++*ordinal;
	}
	struct cursor_list list = cursor_children(l, in);
	for (unsigned i = 0; i < list.count; i++)
		if (for_ordinal(l, list.at[i], wanted, ordinal, depth + 1))
			return true;
	return false;
}

/* A macro hides the text: the pretty-printed function has it expanded. */
static bool parts_in_print(struct lower *l, CXCursor cursor, bool present[3])
{
	unsigned ordinal = 0;
	bool known = false;
	if (!for_ordinal(l, l->frame->body, cursor, &ordinal, 0))
		return false;
	CXPrintingPolicy policy = clang_getCursorPrintingPolicy(l->frame->declaration);
	CXString printed = clang_getCursorPrettyPrinted(l->frame->declaration, policy);
	const char *text = clang_getCString(printed);
	const char *end = text == NULL ? NULL : text + strlen(text);
	for (const char *c = text; c < end; c++) {
		if (*c == '"' || *c == '\'') {
			c = quote_end(c, end);
		} else if (strncmp(c, "for (", 5) == 0 && !is_in_word(text, c) && ordinal-- == 0) {
			known = parts_parse(c + 4, end, present);
			break;
		}
	}
	clang_disposeString(printed);
	clang_PrintingPolicy_dispose(policy);
	return known;
}

bool for_parts(struct lower *l, CXCursor cursor, bool present[3])
{
	return parts_in_source(l, cursor, present) || parts_in_print(l, cursor, present);
}

/* ---- one loop -------------------------------------------------------------------------------- */

/* A variable of the loop: a cell's value, or of a pointer which object, or its address in steps. */
struct loop_cell {
	uint32_t cell, step;
	unsigned lane, lanes; /* of a vector whose lanes are variables each; 0 lanes: not so */
	bool is_which;
	struct candidates *candidates; /* of a pointer */
};

struct loop {
	CXCursor cursor, initialiser, condition, increment, body; /* null where absent */
	bool tests_last;
	bool is_until; /* the condition is what a first `if (...) break;` asks */
	uint32_t statement, block;
	uint32_t before;         /* the statement before it, or IR_NONE */
	uint32_t first_node;     /* older ones are the same in every iteration */
	const struct scan *scan; /* what it assigns */
	struct loop_cell *cells; /* that the loop assigns; one per variable */
	uint32_t count, first_variable;
	uint32_t node;                 /* of the condition, or IR_NONE */
	struct changes at_exit;        /* by the condition's side effects */
	const struct goto_loop *jumps; /* of a loop by goto; else NULL */
	const CXCursor *statements;    /* its body */
	unsigned statement_count;
	uint32_t trail_mark;
};

static bool loop_parts(struct lower *l, CXCursor cursor, struct loop *loop)
{
	struct cursor_list list = cursor_children(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	bool present[3] = {true, true, true};
	CXCursor none = clang_getNullCursor();
	*loop = (struct loop){.cursor = cursor,
	                      .initialiser = none,
	                      .condition = none,
	                      .increment = none,
	                      .body = none,
	                      .tests_last = kind == CXCursor_DoStmt,
	                      .node = IR_NONE};
	if (kind == CXCursor_WhileStmt && list.count == 2) {
		loop->condition = list.at[0];
		loop->body = list.at[1];
		return true;
	}
	if (kind == CXCursor_DoStmt && list.count == 2) {
		loop->body = list.at[0];
		loop->condition = list.at[1];
		return true;
	}
	if (kind != CXCursor_ForStmt || list.count == 0 || list.count > 4)
		return false;
	if (list.count < 4 && !for_parts(l, cursor, present))
		return false;
	unsigned next = 0;
	CXCursor *parts[3] = {&loop->initialiser, &loop->condition, &loop->increment};
	if ((unsigned)present[0] + present[1] + present[2] + 1 != list.count)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (present[i])
			*parts[i] = list.at[next++];
	loop->body = list.at[next];
	return true;
}

/* The variables of a loop while they are opened. */
struct opening {
	struct loop *loop;
	struct type types[IR_LOOP_VARIABLES_MAX];
	uint32_t inits[IR_LOOP_VARIABLES_MAX];
	unsigned room;
};

static struct loop_cell *open_one(struct lower *l, struct opening *o, uint32_t cell,
                                  struct type type, uint32_t init)
{
	struct loop *loop = o->loop;
	if (l->failed || loop->count == o->room) {
		lower_fail(l, loop->cursor, "too many variables in a loop");
		return NULL;
	}
	o->types[loop->count] = type;
	o->inits[loop->count] = init;
	loop->cells[loop->count] = (struct loop_cell){.cell = cell};
	return &loop->cells[loop->count++];
}

/* A pointer: its address in steps, and before that which object it is of, if there are several. */
static void open_pointer(struct lower *l, struct opening *o, uint32_t cell,
                         const struct flows *flows)
{
	struct candidates *candidates = flows_candidates(l, flows, cell);
	struct value value = l->cells[cell].value;
	struct pointer none = {.index = IR_NONE, .scale = 1}, *p = &none;
	if (candidates == NULL || candidates->count == 0)
		return; /* no value yet: it gets one in the body */
	if (value.kind == VALUE_POINTER)
		p = &value.pointer;
	uint32_t step = l->cells[cell].leaf.pointee_bytes;
	if (candidates->count == 1 && candidates->at[0].target == POINTER_CELLS)
		return;
	for (unsigned i = 0; i < candidates->count; i++) {
		struct pointer *one = &candidates->at[i];
		if (one->target == POINTER_CELLS) {
			memory_demand(l, one, o->loop->cursor, "pointer to several variables");
			return;
		}
		if (step == 0 || !pointer_is_multiple(one, step))
			step = 1;
	}
	if (!pointer_is_multiple(p, step))
		step = 1;
	if (candidates->count > 1) {
		struct loop_cell *first =
		        open_one(l, o, cell, type_scalar(SCALAR_INT),
		                 candidates_which(l, candidates, p, IR_NONE, o->loop->cursor));
		if (first == NULL)
			return;
		first->candidates = candidates;
		first->is_which = true;
	}
	uint32_t init = l->failed ? 0 : pointer_in_steps(l, *p, step);
	struct loop_cell *second = open_one(l, o, cell, type_scalar(SCALAR_LONG), init);
	if (second == NULL)
		return;
	second->candidates = candidates;
	second->step = step;
}

/* A vector that is assigned by lanes: launches simulate scalars, so each is a variable. */
static void open_lanes(struct lower *l, struct opening *o, uint32_t cell)
{
	struct type type = l->cells[cell].leaf.type;
	uint32_t init = value_as_node(l, cell_get(l, cell, o->loop->cursor), o->loop->cursor);
	for (unsigned lane = 0; lane < type.width && !l->failed; lane++) {
		struct loop_cell *one = open_one(l, o, cell, type_scalar((enum scalar)type.scalar),
		                                 node_swizzle(l, init, 1, lane));
		if (one == NULL)
			return;
		one->lane = lane;
		one->lanes = type.width;
	}
}

/* The vector at the head of the loop, of the variables that begin at one. */
static uint32_t opened_vector(struct lower *l, const struct loop *loop, uint32_t first)
{
	uint32_t parts[IR_OPERANDS_MAX];
	unsigned lanes = loop->cells[first].lanes;
	for (unsigned lane = 0; lane < lanes; lane++)
		parts[lane] = l->kernel->variables[loop->first_variable + first + lane].node;
	return node_check(l, kernel_node(l->kernel, NODE_VECTOR,
	                                 l->cells[loop->cells[first].cell].leaf.type, parts, lanes,
	                                 0, 0));
}

/* Opens the variables: every cell that the scan marked and that has a number or an address. */
static void open_variables(struct lower *l, struct loop *loop, const struct scan *scan,
                           const struct flows *flows)
{
	struct opening o = {.loop = loop};
	for (uint32_t i = 0; i < scan->cell_count && o.room < IR_LOOP_VARIABLES_MAX; i++)
		if (scan->cells[i])
			o.room += l->cells[i].leaf.is_pointer ? 2 : l->cells[i].leaf.type.width;
	if (o.room > IR_LOOP_VARIABLES_MAX)
		o.room = IR_LOOP_VARIABLES_MAX;
	loop->cells = arena_alloc(&l->arena, (o.room + 1) * sizeof(*loop->cells));
	if (loop->cells == NULL) {
		lower_fail(l, loop->cursor, "too large");
		return;
	}
	for (uint32_t i = 0; i < scan->cell_count && !l->failed; i++) {
		if (!scan->cells[i])
			continue;
		if (l->cells[i].leaf.is_pointer)
			open_pointer(l, &o, i, flows);
		else if ((scan->cells[i] & SCAN_BY_LANES) && !(scan->cells[i] & SCAN_AS_WHOLE))
			open_lanes(l, &o, i);
		else
			(void)open_one(
			        l, &o, i, l->cells[i].leaf.type,
			        value_as_node(l, cell_get(l, i, loop->cursor), loop->cursor));
	}
	if (l->failed)
		return;
	loop->first_variable =
	        kernel_open_variables(l->kernel, loop->statement, o.types, o.inits, loop->count);
	if (loop->first_variable == IR_NONE && loop->count > 0) {
		lower_fail(l, loop->cursor, "too large");
		return;
	}
	uint32_t number = IR_NONE;
	for (uint32_t i = 0; i < loop->count && !l->failed; i++) {
		const struct loop_cell *cell = &loop->cells[i];
		uint32_t node = l->kernel->variables[loop->first_variable + i].node;
		if (cell->is_which)
			number = node;
		else if (cell->candidates != NULL)
			cell_set(l, cell->cell,
			         value_pointer(candidates_choose(l, cell->candidates, number, node,
			                                         cell->step, loop->cursor)));
		else if (cell->lanes > 0 && cell->lane == 0)
			cell_set(l, cell->cell, value_node(opened_vector(l, loop, i)));
		else if (cell->lanes == 0)
			cell_set(l, cell->cell, value_node(node));
	}
}

/* The value that the next iteration sees, in the variable's own unit. */
static uint32_t next_value(struct lower *l, struct loop *loop, uint32_t i)
{
	const struct loop_cell *cell = &loop->cells[i];
	struct value now = l->cells[cell->cell].value;
	if (cell->candidates == NULL) {
		uint32_t node = value_as_node(l, now, loop->cursor);
		return cell->lanes > 0 ? node_swizzle(l, node, 1, cell->lane) : node;
	}
	if (now.kind != VALUE_POINTER) {
		lower_fail(l, loop->cursor, "pointer to several objects");
		return 0;
	}
	if (cell->is_which)
		return candidates_which(l, cell->candidates, &now.pointer,
		                        l->kernel->variables[loop->first_variable + i].node,
		                        loop->cursor);
	/* that it is one of them is checked all the same */
	(void)candidates_which(l, cell->candidates, &now.pointer, IR_NONE, loop->cursor);
	if (l->failed)
		return 0;
	return pointer_in_steps(l, now.pointer, cell->step);
}

static bool block_is_empty(const struct lower *l, uint32_t block)
{
	return l->kernel->blocks[block].first == IR_NONE;
}

/* Whether a node of the condition is the same in every iteration, where all that it loads is. */
static bool is_invariant(const struct lower *l, const struct loop *loop, uint32_t node,
                         unsigned depth)
{
	const struct ir_node *n = &l->kernel->nodes[node];
	if (node < loop->first_node || n->op == NODE_LOAD)
		return true;
	if (n->op == NODE_LOOP_VAR || n->op == NODE_ATOMIC || n->op == NODE_UNKNOWN ||
	    n->op == NODE_CALL || depth >= 8)
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_invariant(l, loop, l->kernel->operands[n->first_operand + i], depth + 1))
			return false;
	return true;
}

/*
 * What a condition reads at the same place each time round, where the loop writes none of it, is
 * read before the loop, as by compilers: k < start[i + 1].
 */
static void hoist_loads(struct lower *l, const struct loop *loop)
{
	struct ir_kernel *kernel = l->kernel;
	uint32_t outer = kernel->statements[loop->statement].block;
	if (loop->scan->all_objects || kernel->blocks[outer].last != loop->statement)
		return;
	for (uint32_t s = kernel->blocks[loop->block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		if (kernel->statements[s].kind != STATEMENT_ACCESS)
			return;
		const struct ir_access *access = &kernel->accesses[kernel->statements[s].access];
		if (access->kind != ACCESS_LOAD || kernel->objects[access->object].is_volatile ||
		    loop->scan->objects[access->object] ||
		    (access->index != IR_NONE && !is_invariant(l, loop, access->index, 0)))
			return;
	}
	kernel_move_before(kernel, loop->statement, loop->before);
}

/* The condition at the head: the loop's own, or a branch that leaves it. */
static void test_first(struct lower *l, struct loop *loop, uint32_t target)
{
	int64_t known;
	if (clang_Cursor_isNull(loop->condition))
		return;
	uint32_t node = lower_condition_of(l, loop->condition, false);
	if (!l->failed && loop->is_until)
		node = node_unary(l, NODE_LNOT, type_scalar(SCALAR_INT), node);
	if (l->failed)
		return;
	if (kernel_constant(l->kernel, node, &known) && known != 0)
		return;
	loop->node = node;
	loop->at_exit = trail_collect(l, loop->trail_mark);
	hoist_loads(l, loop);
	if (block_is_empty(l, loop->block)) {
		l->kernel->statements[loop->statement].condition = node;
	} else {
		struct branch branch;
		struct ir_statement leave =
		        statement_of(STATEMENT_EXIT, cursor_line(loop->condition));
		leave.target = loop->statement;
		branch_begin(l, &branch, node_unary(l, NODE_LNOT, type_scalar(SCALAR_INT), node),
		             false, cursor_line(loop->condition));
		branch_arm(l, &branch, 0);
		if (!l->failed)
			(void)kernel_append(l->kernel, l->block, &leave);
		branch_arm_end(l, &branch, 0);
	}
	if (l->path_count < LOWER_PATH_MAX && !l->failed)
		l->path[l->path_count++] = (struct condition){node, true, NULL};
	(void)target;
}

/*
 * After the loop. The state is that of its variables; where a break left it,
 * the condition still holds, and that tells the two ways out apart.
 */
static void leave_loop(struct lower *l, struct loop *loop, uint32_t index)
{
	struct target target = l->targets[index];
	trail_undo(l, loop->trail_mark);
	l->terminated = false;
	bool has_break = false;
	for (const struct pending *p = target.pending; p != NULL; p = p->before)
		has_break = has_break || !p->is_next;
	if (!has_break) {
		if (loop->node == IR_NONE && !loop->tests_last)
			l->terminated = true; /* it ends by return alone, or never */
		changes_apply(l, &loop->at_exit);
		return;
	}
	l->terminated = true;
	target_join(l, index, false, loop->cursor);
	if (l->failed || loop->node == IR_NONE)
		return;
	struct changes left = trail_collect(l, loop->trail_mark);
	trail_undo(l, loop->trail_mark);
	struct changes *ended = &loop->at_exit;
	for (uint32_t i = 0; i < ended->count; i++)
		l->cells[ended->at[i].cell].scratch = i + 1;
	for (uint32_t i = 0; i < left.count && !l->failed; i++) {
		struct cell *cell = &l->cells[left.at[i].cell];
		struct value normal =
		        cell->scratch != 0 ? ended->at[cell->scratch - 1].value : cell->value;
		cell->scratch = 0;
		cell_set(l, left.at[i].cell,
		         value_join(l, loop->node, left.at[i].value, normal, loop->cursor));
	}
	for (uint32_t i = 0; i < ended->count; i++) {
		struct cell *cell = &l->cells[ended->at[i].cell];
		if (cell->scratch != 0 && !l->failed)
			cell_set(l, ended->at[i].cell, ended->at[i].value);
		cell->scratch = 0;
	}
}

static void forget_stored(struct lower *l, const struct scan *scan)
{
	if (scan->all_objects)
		cache_forget_shared(l);
	for (uint32_t i = 0; i < l->cache_count; i++) {
		uint32_t object = l->cache[i].access.object;
		if (scan->objects[object] ||
		    (scan->all_objects && l->kernel->objects[object].space == SPACE_PRIVATE))
			l->cache[i].is_dead = true;
	}
}

/* The variable of a loop that a node is, or is the next value of; NULL: of none. */
static const struct ir_variable *variable_of(const struct lower *l, const struct loop *loop,
                                             uint32_t node)
{
	for (uint32_t i = 0; i < loop->count; i++) {
		const struct ir_variable *variable =
		        &l->kernel->variables[loop->first_variable + i];
		if (variable->node == node || variable->next == node)
			return variable;
	}
	return NULL;
}

/* A counter that goes by one until it is at its bound is below it until then. */
static uint32_t ordered(struct lower *l, const struct loop *loop, uint32_t condition)
{
	const struct ir_node *node = &l->kernel->nodes[condition];
	if (node->op != NODE_NE || node->type.width != 1)
		return condition;
	uint32_t operands[2] = {kernel_operands(l->kernel, condition)[0],
	                        kernel_operands(l->kernel, condition)[1]};
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_variable *variable =
		        variable_of(l, loop, kernel_unconverted(l->kernel, operands[i]));
		int64_t step;
		if (variable == NULL || !is_invariant(l, loop, operands[1 - i], 0) ||
		    kernel_step(l->kernel, variable) == IR_NONE ||
		    !kernel_constant(l->kernel, kernel_step(l->kernel, variable), &step))
			continue;
		if (l->kernel->nodes[variable->next].op == NODE_SUB)
			step = -step;
		if (step == 1 || step == -1)
			return node_binary(l, NODE_LT, node->type, operands[step == 1 ? i : 1 - i],
			                   operands[step == 1 ? 1 - i : i]);
	}
	return condition;
}

/* What the end of a loop asks of next values, of others: with `is_first`, of the initial ones. */
static uint32_t turned(struct lower *l, const struct loop *loop, uint32_t condition, bool is_first)
{
	const struct ir_node *node = &l->kernel->nodes[condition];
	if (node->op != NODE_LT && node->op != NODE_LE)
		return IR_NONE;
	uint32_t operands[2] = {kernel_operands(l->kernel, condition)[0],
	                        kernel_operands(l->kernel, condition)[1]};
	enum node_op op = (enum node_op)node->op;
	struct type type = node->type;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t next = kernel_unconverted(l->kernel, operands[i]);
		const struct ir_variable *variable = variable_of(l, loop, next);
		if (variable == NULL || variable->next != next ||
		    operands[1 - i] >= loop->first_node)
			continue;
		operands[i] = convert_node(l, is_first ? variable->init : variable->node,
		                           node_type(l, operands[i]));
		return l->failed ? IR_NONE : node_binary(l, op, type, operands[0], operands[1]);
	}
	return IR_NONE;
}

static bool is_known(const struct lower *l, uint32_t condition)
{
	int64_t known;
	if (kernel_constant(l->kernel, condition, &known))
		return known != 0;
	for (uint32_t i = 0; i < l->path_count; i++)
		if (l->path[i].node == condition && l->path[i].is_true)
			return true;
	return false;
}

/* The condition as it reads best; a loop that tests last tests first where it is entered anyway. */
static void settle_condition(struct lower *l, const struct loop *loop)
{
	struct ir_statement *statement = &l->kernel->statements[loop->statement];
	uint32_t first, head;
	if (statement->condition == IR_NONE)
		return;
	statement->condition = ordered(l, loop, statement->condition);
	if (l->failed || !statement->tests_last)
		return;
	first = turned(l, loop, statement->condition, true);
	if (first == IR_NONE || !is_known(l, first))
		return;
	head = turned(l, loop, statement->condition, false);
	if (head == IR_NONE)
		return;
	statement->condition = head;
	statement->tests_last = false;
}

static void loop_body(struct lower *l, struct loop *loop, uint32_t index)
{
	uint32_t path_mark = l->path_count;
	if (!loop->tests_last)
		test_first(l, loop, index);
	/* jumps are told apart by conditions within the body */
	l->targets[index].path_mark = l->path_count;
	bool was_tail = l->is_tail;
	l->is_tail = false;
	if (loop->is_until) {
		struct cursor_list list = cursor_children(l, loop->body);
		lower_sequence(l, list.at + 1, list.count - 1);
	} else if (loop->jumps == NULL)
		lower_statement(l, loop->body);
	else
		loop->jumps->body(l, loop->jumps->data);
	l->is_tail = was_tail;
	if (l->failed)
		return;
	/* who does not jump back goes on after the loop */
	if (loop->jumps != NULL && !loop->tests_last && !l->terminated)
		target_jump(l, index, false, true, loop->cursor);
	target_join(l, index, true, loop->cursor);
	bool goes_on = !l->terminated;
	if (goes_on && !clang_Cursor_isNull(loop->increment))
		(void)lower_expression(l, loop->increment);
	if (goes_on && loop->tests_last && !l->failed) {
		loop->node = lower_condition_of(l, loop->condition, false);
		if (!l->failed)
			l->kernel->statements[loop->statement].condition = loop->node;
	}
	for (uint32_t i = 0; i < loop->count && !l->failed; i++)
		kernel_close_variable(l->kernel, loop->first_variable + i, next_value(l, loop, i));
	l->path_count = path_mark;
	if (!l->failed)
		settle_condition(l, loop);
}

/* What the parts of a loop assign, together. */
static bool scan_all(struct lower *l, const struct loop *loop, struct scan *scan,
                     struct flows *flows)
{
	const CXCursor others[3] = {loop->body, loop->condition, loop->increment};
	struct scan part;
	scan_loop(l, loop->cursor, scan, false);
	part = *scan;
	for (unsigned i = 0; i < 3 + loop->statement_count && !l->failed; i++) {
		CXCursor cursor = i < 3 ? others[i] : loop->statements[i - 3];
		if (clang_Cursor_isNull(cursor))
			continue;
		scan_loop(l, cursor, &part, true);
		flows_scan(l, flows, cursor, 0);
		for (uint32_t c = 0; c < scan->cell_count && !l->failed; c++)
			scan->cells[c] |= part.cells[c];
		for (uint32_t o = 0; o < IR_OBJECTS_MAX && !l->failed; o++)
			scan->objects[o] |= part.objects[o];
		scan->all_objects = scan->all_objects || part.all_objects;
	}
	return !l->failed;
}

static void run_loop(struct lower *l, struct loop *loop, unsigned unroll)
{
	struct scan scan = {0};
	struct ir_statement statement = statement_of(STATEMENT_LOOP, cursor_line(loop->cursor));
	uint32_t outer = l->block, cache_mark;
	struct flows *flows = flows_new(l);
	if (flows == NULL) {
		lower_fail(l, loop->cursor, "too large");
		return;
	}
	if (!scan_all(l, loop, &scan, flows))
		return;
	statement.tests_last = loop->tests_last;
	statement.unroll = (uint16_t)unroll;
	statement.body = loop->block = kernel_block(l->kernel);
	loop->scan = &scan;
	loop->before = l->failed ? IR_NONE : l->kernel->blocks[l->block].last;
	loop->statement = kernel_append(l->kernel, l->block, &statement);
	if (loop->statement == IR_NONE) {
		lower_fail(l, loop->cursor, "too many statements");
		return;
	}
	loop->first_node = l->kernel->node_count;
	open_variables(l, loop, &scan, flows);
	forget_stored(l, &scan);
	cache_mark = l->cache_count;
	struct target target = {.is_loop = true, .statement = loop->statement};
	if (loop->jumps != NULL) {
		target.is_label = true;
		target.label = loop->jumps->label;
	}
	if (!l->failed)
		target_push(l, target, loop->cursor);
	if (l->failed)
		return;
	loop->trail_mark = l->trail_count;
	uint32_t index = l->target_count - 1;
	l->block = loop->block;
	loop_body(l, loop, index);
	if (l->failed)
		return;
	l->block = outer;
	leave_loop(l, loop, index);
	l->target_count = index;
	l->cache_count = cache_mark;
}

/* do { ... } while (0): no loop, but what break and continue leave. */
static void lower_once(struct lower *l, const struct loop *loop)
{
	struct scope scope;
	if (!scope_begin(l, &scope, (struct target){.is_once = true}, loop->cursor))
		return;
	lower_statement(l, loop->body);
	scope_end(l, &scope, loop->cursor);
}

/* for (;;) { if (c) break; ... } is while (!c) { ... }. */
static void find_until(struct lower *l, struct loop *loop)
{
	int64_t known;
	bool is_endless = clang_Cursor_isNull(loop->condition) ||
	                  (cursor_constant(l, loop->condition, &known) && known != 0);

	if (loop->tests_last || !is_endless ||
	    clang_getCursorKind(loop->body) != CXCursor_CompoundStmt)
		return;
	struct cursor_list list = cursor_children(l, loop->body);
	if (list.count == 0 || clang_getCursorKind(list.at[0]) != CXCursor_IfStmt)
		return;
	struct cursor_list parts = cursor_children(l, list.at[0]);
	if (parts.count != 2)
		return;
	CXCursor then = parts.at[1];
	if (clang_getCursorKind(then) == CXCursor_CompoundStmt) {
		struct cursor_list inner = cursor_children(l, then);
		if (inner.count != 1)
			return;
		then = inner.at[0];
	}
	if (clang_getCursorKind(then) != CXCursor_BreakStmt)
		return;
	loop->condition = parts.at[0];
	loop->is_until = true;
}

void lower_loop(struct lower *l, CXCursor cursor, unsigned unroll)
{
	struct loop loop;
	int64_t known;
	if (!loop_parts(l, cursor, &loop)) {
		lower_fail(l, cursor, "for without its text");
		return;
	}
	if (loop.tests_last && cursor_constant(l, loop.condition, &known) && known == 0) {
		lower_once(l, &loop);
		return;
	}
	if (!clang_Cursor_isNull(loop.initialiser))
		lower_statement(l, loop.initialiser);
	find_until(l, &loop);
	if (!l->failed)
		run_loop(l, &loop, unroll);
}

void lower_goto_loop(struct lower *l, const struct goto_loop *jumps)
{
	CXCursor none = clang_getNullCursor();
	struct loop loop = {.cursor = jumps->label,
	                    .initialiser = none,
	                    .condition = jumps->condition,
	                    .increment = none,
	                    .body = none,
	                    .tests_last = !clang_Cursor_isNull(jumps->condition),
	                    .node = IR_NONE,
	                    .statements = jumps->statements,
	                    .statement_count = jumps->count,
	                    .jumps = jumps};
	run_loop(l, &loop, 0);
}
