/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rows of a sparse matrix, or a vertex's edges, begin: a buffer whose neighbouring
 * elements bound a loop, for (k = start[i]; k < start[i + 1]; ...), or are subtracted for its
 * trips, for (k = 0; k < start[i + 1] - start[i]; ...) a[start[i] + k]; or two elements of which
 * bound it, start[i] and start[i + n], for rows that are gone through at once. What it holds nobody
 * knows before the launch; but the rows share what k goes through, which is the buffer's range
 * where it is hinted, else the length of what k indexes. So start[i] is taken to be in
 * proportion to i: each row as long as the mean. Where data choose i, as a key chooses its bucket,
 * it is any row.
 */
#include "model/evaluate/rows.h"

#include <math.h>

#include "model/evaluate/exits.h"
#include "model/mechanisms.h"

enum {
	CASTS_MAX = 4,
	JOINED_MAX = 4, /* conditions within each other */
	EQUAL_ROWS_MIN = 16,
	INDEX_MAX = 256 /* nodes that are looked at */
};

struct search {
	const struct question *question;
	const struct ir_kernel *kernel;
	struct rows *rows;
	struct loop_facts *facts;
};

static uint32_t strip(const struct ir_kernel *kernel, uint32_t node)
{
	for (unsigned i = 0; i < CASTS_MAX && node != IR_NONE; i++) {
		const struct ir_node *n = &kernel->nodes[node];

		if (n->op != NODE_CONVERT && n->op != NODE_BITCAST)
			break;
		node = kernel->operands[n->first_operand];
	}
	return node;
}

uint32_t rows_index(const struct ir_kernel *kernel, const struct ir_access *access, int64_t *offset)
{
	uint32_t node = strip(kernel, access->index);
	int64_t value;

	*offset = access->scale_bytes > 0 ? access->offset_bytes / access->scale_bytes : 0;
	if (node != IR_NONE && kernel->nodes[node].op == NODE_ADD)
		for (unsigned i = 0; i < 2; i++) {
			const uint32_t *operands =
			        kernel->operands + kernel->nodes[node].first_operand;

			if (kernel_constant(kernel, operands[i], &value) && value > -64 &&
			    value < 64) {
				*offset += value;
				return strip(kernel, operands[1 - i]);
			}
		}
	return node;
}

/* The load that a node is, through casts, or that it is a sum of. */
static const struct ir_access *load_of(const struct ir_kernel *kernel, uint32_t node)
{
	node = strip(kernel, node);
	if (node == IR_NONE)
		return NULL;
	if (kernel->nodes[node].op == NODE_ADD)
		for (unsigned i = 0; i < 2; i++) {
			uint32_t operand = strip(
			        kernel, kernel->operands[kernel->nodes[node].first_operand + i]);

			if (kernel->nodes[operand].op == NODE_LOAD)
				return &kernel->accesses[kernel->nodes[operand].aux];
		}
	return kernel->nodes[node].op == NODE_LOAD ? &kernel->accesses[kernel->nodes[node].aux]
	                                           : NULL;
}

/* The argument of an access to a buffer; NULL: it goes elsewhere. */
static const struct launch_argument *buffer_of(const struct search *search,
                                               const struct ir_access *access)
{
	const struct launch_argument *argument =
	        question_argument(search->question, access->object);

	return search->kernel->objects[access->object].space <= SPACE_CONSTANT && argument &&
	                       argument->kind == ARGUMENT_BUFFER
	               ? argument
	               : NULL;
}

/* The node less a constant that it is multiplied by, which is put into *times. */
static uint32_t unscaled(const struct ir_kernel *kernel, uint32_t node, double *times)
{
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node];
	int64_t by;

	for (unsigned i = 0; n != NULL && n->op == NODE_MUL && i < 2; i++)
		if (kernel_constant(kernel, kernel->operands[n->first_operand + i], &by) &&
		    by > 0) {
			*times = (double)by;
			return strip(kernel, kernel->operands[n->first_operand + 1 - i]);
		}
	return node;
}

/* Half of a sum, as what a bisection asks lies between its ends: one of the two. */
static uint32_t end_of_middle(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node];
	int64_t by;

	if (n == NULL || (n->op != NODE_DIV && n->op != NODE_SHR) ||
	    !kernel_constant(kernel, kernel->operands[n->first_operand + 1], &by) ||
	    by != (n->op == NODE_DIV ? 2 : 1))
		return node;
	node = strip(kernel, kernel->operands[n->first_operand]);
	return kernel->nodes[node].op == NODE_ADD
	               ? strip(kernel, kernel->operands[kernel->nodes[node].first_operand])
	               : node;
}

/*
 * Whether the index is the variable, what lies between it and another, so many times it, or a sum
 * with it, less constants.
 */
static bool is_indexed_by(const struct ir_kernel *kernel, const struct ir_access *access,
                          uint32_t node, bool is_in_sum, double *times)
{
	int64_t offset;
	uint32_t index = rows_index(kernel, access, &offset);

	*times = 1;
	if (!is_in_sum || index == IR_NONE || kernel->nodes[index].op != NODE_ADD)
		return index == node || end_of_middle(kernel, index) == node ||
		       unscaled(kernel, index, times) == node;
	for (unsigned i = 0; i < 2; i++)
		if (strip(kernel, kernel->operands[kernel->nodes[index].first_operand + i]) == node)
			return true;
	return false;
}

/* Elements of the shortest buffer that the node indexes; 0: there is none. */
static double elements_indexed(const struct search *search, uint32_t node, bool is_in_sum)
{
	const struct ir_kernel *kernel = search->kernel;
	double least = 0, times;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct launch_argument *buffer = buffer_of(search, access);
		double elements;

		if (!buffer || access->scale_bytes == 0 ||
		    !is_indexed_by(kernel, access, node, is_in_sum, &times))
			continue;
		elements = (double)buffer->size_bytes / ((double)access->scale_bytes * times);
		if (!(least > 0) || least > elements)
			least = elements;
	}
	return least;
}

/* Whether memory has a part in an index; what loops count has as much as what they begin with. */
static bool rests_on_memory(const struct ir_kernel *kernel, uint32_t node, unsigned *left)
{
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node];

	if (n == NULL)
		return false;
	if (*left == 0 || n->op == NODE_LOAD || n->op == NODE_ATOMIC || n->op == NODE_TEXEL)
		return true;
	(*left)--;
	if (n->op == NODE_LOOP_VAR)
		return rests_on_memory(kernel, kernel_variable(kernel, node)->init, left);
	for (unsigned i = 0; i < n->operand_count; i++)
		if (rests_on_memory(kernel, kernel_operands(kernel, node)[i], left))
			return true;
	return false;
}

/*
 * Whether two places where rows begin are as far apart as the launch says: neighbours, or, as
 * `is_far` allows, any two that it decides.
 */
static bool is_apart(const struct search *search, const struct ir_access *from,
                     const struct ir_access *to, bool is_far)
{
	int64_t from_offset, to_offset;
	uint32_t one = rows_index(search->kernel, from, &from_offset);
	uint32_t other = rows_index(search->kernel, to, &to_offset);
	unsigned left = INDEX_MAX;

	if (one == other)
		return to_offset - from_offset == 1;
	return is_far && !rests_on_memory(search->kernel, one, &left) &&
	       !rests_on_memory(search->kernel, other, &left);
}

/* Whether these are start[i] and start[i + 1]; then fills rows-> node: what goes
 * through rows, or is added to what does. is_far: through several rows at once, too. */
static bool find_ends(const struct search *search, const struct ir_access *from,
                      const struct ir_access *to, uint32_t node, bool is_in_sum, bool is_far)
{
	const struct launch_argument *starts;
	double rows, span;

	if (!from || !to || from->object != to->object || !type_is_integer(to->type) ||
	    to->type.width != 1 || from->scale_bytes != to->scale_bytes || from->scale_bytes == 0)
		return false;
	/* what was sampled needs no mean */
	if (question_held(search->question, to))
		return false;
	starts = buffer_of(search, to);
	if (!starts || !is_apart(search, from, to, is_far))
		return false;
	rows = (double)starts->size_bytes / (double)to->scale_bytes - 1;
	span = starts->has_range ? (double)starts->high - (double)starts->low
	                         : elements_indexed(search, node, is_in_sum);
	/* several work-items go through a row together: each is where the loop is, and its id */
	if (!(span > 0) && !is_in_sum)
		span = elements_indexed(search, node, true);
	if (!(rows >= 1) || !(span > 0))
		return false;
	*search->rows = (struct rows){.is_known = true,
	                              .object = to->object,
	                              .low = starts->has_range ? starts->low : 0,
	                              .count = rows,
	                              .mean = span / rows};
	return true;
}

/* What a loop's variable is at first; IR_NONE: the node is none of it. */
static uint32_t first_of(const struct ir_kernel *kernel, uint32_t statement, uint32_t node)
{
	const struct ir_statement *s = &kernel->statements[statement];

	for (uint32_t i = 0; i < s->variable_count; i++)
		if (kernel->variables[s->first_variable + i].node == node)
			return kernel->variables[s->first_variable + i].init;
	return IR_NONE;
}

/* The node less a constant that is added to it or taken from it, as where a step has to fit. */
static uint32_t less_constant(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n;
	int64_t by;

	node = strip(kernel, node);
	n = node == IR_NONE ? NULL : &kernel->nodes[node];
	for (unsigned i = 0; n != NULL && i < 2; i++)
		if ((n->op == NODE_ADD || (n->op == NODE_SUB && i == 1)) &&
		    kernel_constant(kernel, kernel->operands[n->first_operand + i], &by))
			return strip(kernel, kernel->operands[n->first_operand + 1 - i]);
	return node;
}

/* A loop from start[i] to start[i + 1], or one that moves the two towards each other. */
static bool find_rows(const struct search *search, uint32_t statement, uint32_t bound, uint32_t at,
                      bool is_far)
{
	const struct ir_kernel *kernel = search->kernel;
	uint32_t first, last;

	at = less_constant(kernel, at);
	first = first_of(kernel, statement, at);
	last = first_of(kernel, statement, strip(kernel, bound));
	return first != IR_NONE &&
	       find_ends(search, load_of(kernel, first),
	                 load_of(kernel, last == IR_NONE ? bound : last), at, false, is_far);
}

/* start[i + 1] - start[i]: a row's length, added to where it starts step by step. */
static bool find_length(const struct search *search, uint32_t node)
{
	const struct ir_kernel *kernel = search->kernel;
	const uint32_t *operands = kernel->operands + kernel->nodes[node].first_operand;
	uint32_t to = strip(kernel, operands[0]), from = strip(kernel, operands[1]);

	return to != IR_NONE && from != IR_NONE && kernel->nodes[to].op == NODE_LOAD &&
	       kernel->nodes[from].op == NODE_LOAD &&
	       find_ends(search, load_of(kernel, from), load_of(kernel, to), from, true, false);
}

/* A loop's condition; of one that is tested within, what makes a branch leave it. */
static uint32_t condition_of(const struct search *search, uint32_t loop)
{
	const struct ir_kernel *kernel = search->kernel;
	const struct ir_statement *statement = &kernel->statements[loop];
	uint32_t condition = statement->condition;
	int64_t always;

	if (condition != IR_NONE && !kernel_constant(kernel, condition, &always))
		return condition;
	for (uint32_t i = kernel->blocks[statement->body].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_BRANCH && leaves_loop(search->kernel, s->body))
			return s->condition;
	}
	return IR_NONE;
}

/* Whether the node is left + right, or left - right; in any order of a sum. */
static bool is_combined(const struct ir_kernel *kernel, uint32_t node, unsigned op, unsigned first,
                        uint32_t *left, uint32_t *right)
{
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node];

	if (n == NULL || n->op != op)
		return false;
	*left = strip(kernel, kernel->operands[n->first_operand + first]);
	*right = strip(kernel, kernel->operands[n->first_operand + 1 - first]);
	return true;
}

static const struct ir_access *number_load(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_access *access;

	if (node == IR_NONE || kernel->nodes[node].op != NODE_LOAD)
		return NULL;
	access = &kernel->accesses[kernel->nodes[node].aux];
	return access->type.width == 1 ? access : NULL;
}

/*
 * An element that the loop goes on to, and one of the same buffer that stays where it is; then
 * fills rows-> Without a range nobody knows how far they lie apart; but who ends a loop
 * so expects to go but a little way.
 */
static bool find_order(const struct search *search, uint32_t loop, uint32_t moving, uint32_t fixed)
{
	const struct ir_kernel *kernel = search->kernel;
	const struct ir_access *to = number_load(kernel, moving);
	const struct ir_access *from = number_load(kernel, fixed);
	const struct launch_argument *buffer;
	int64_t offset;
	double steps;

	if (!to || !from || to->object != from->object || to->scale_bytes != from->scale_bytes ||
	    to->scale_bytes == 0 ||
	    first_of(kernel, loop, rows_index(kernel, to, &offset)) == IR_NONE ||
	    first_of(kernel, loop, rows_index(kernel, from, &offset)) != IR_NONE)
		return false;
	if (question_held(search->question, to))
		return false;
	buffer = buffer_of(search, to);
	if (!buffer || !buffer->has_range || !type_is_integer(to->type)) {
		search->facts[list_of(search->kernel, loop)].is_window = true;
		return true;
	}
	steps = (double)buffer->size_bytes / (double)to->scale_bytes - 1;
	if (!(steps >= 1) || buffer->high <= buffer->low)
		return false;
	*search->rows = (struct rows){.is_known = true,
	                              .object = to->object,
	                              .low = buffer->low,
	                              .count = steps,
	                              .mean = ((double)buffer->high - (double)buffer->low) / steps};
	return true;
}

/* A comparison of a[k] - a[i] with something, or of a[k] with a[i] and something added. */
static bool find_span(const struct search *search, uint32_t loop, uint32_t condition)
{
	const struct ir_kernel *kernel = search->kernel;
	const struct ir_node *n = condition == IR_NONE ? NULL : &kernel->nodes[condition];
	uint32_t left, right;
	int64_t zero;

	if (n == NULL || (n->op != NODE_LT && n->op != NODE_LE))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t here = strip(kernel, kernel->operands[n->first_operand + i]);
		uint32_t there = strip(kernel, kernel->operands[n->first_operand + 1 - i]);

		/* less than nothing apart: elements in any order may be so */
		if (is_combined(kernel, here, NODE_SUB, 0, &left, &right) &&
		    !(kernel_constant(kernel, there, &zero) && zero == 0) &&
		    find_order(search, loop, left, right))
			return true;
		for (unsigned k = 0; k < 2; k++)
			if (is_combined(kernel, here, NODE_ADD, k, &left, &right) &&
			    find_order(search, loop, there, left))
				return true;
	}
	return false;
}

/* What a loop goes through in order until it is far enough. */
static void find_sorted(const struct search *search)
{
	const struct ir_kernel *kernel = search->kernel;

	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];
		uint32_t list = list_around(search->kernel, s->block), loop = i;

		if (s->kind == STATEMENT_BRANCH && list != 0 &&
		    leaves_loop(search->kernel, s->body))
			loop = list_loop(kernel, list);
		if (kernel->statements[loop].kind == STATEMENT_LOOP &&
		    find_span(search, loop, s->condition) && search->rows->is_known)
			return;
	}
}

/*
 * The same where it is one of several conditions that all have to hold, of which some end the loop
 * for other reasons.
 */
static bool find_joined(const struct search *search, uint32_t loop, uint32_t condition, bool is_far,
                        unsigned depth)
{
	const struct ir_kernel *kernel = search->kernel;
	uint32_t node = strip(kernel, condition);
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node];
	const uint32_t *operands = n == NULL ? NULL : kernel->operands + n->first_operand;
	int64_t zero;

	if (n == NULL || depth >= JOINED_MAX)
		return false;
	if (n->op == NODE_LNOT)
		return find_joined(search, loop, operands[0], is_far, depth + 1);
	if (n->op == NODE_AND || ((n->op == NODE_PHI || n->op == NODE_SELECT) &&
	                          kernel_constant(kernel, operands[2], &zero) && zero == 0))
		return find_joined(search, loop, operands[0], is_far, depth + 1) ||
		       find_joined(search, loop, operands[1], is_far, depth + 1);
	return n->operand_count == 2 &&
	       (find_rows(search, loop, operands[1], operands[0], is_far) ||
	        find_rows(search, loop, operands[0], operands[1], is_far));
}

/* The first loop through rows. */
static bool find_loop(const struct search *search, bool is_far)
{
	for (uint32_t list = 1; list <= search->kernel->summary->loop_count; list++) {
		uint32_t s = list_loop(search->kernel, list);

		if (find_joined(search, s, condition_of(search, s), is_far, 0))
			return true;
	}
	return false;
}

void rows_find(const struct question *question, struct rows *rows, struct loop_facts *facts)
{
	const struct ir_kernel *kernel = question->kernel;
	const struct search search = {
	        .question = question, .kernel = kernel, .rows = rows, .facts = facts};

	if (!mechanism(MECHANISM_ROWS) || find_loop(&search, false))
		return;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (kernel->nodes[i].op == NODE_SUB && find_length(&search, i))
			return;
	if (find_loop(&search, true))
		return;
	find_sorted(&search);
}

bool rows_are_equal(const struct rows *rows)
{
	return rows->is_known && rows->count >= (double)EQUAL_ROWS_MIN &&
	       !(fabs(rows->mean - nearbyint(rows->mean)) > 0);
}

bool rows_has(const struct rows *rows, const struct ir_access *access)
{
	return rows_are_of(rows, access) && access->kind == ACCESS_LOAD &&
	       access->index != IR_NONE && access->offset_bytes % access->scale_bytes == 0;
}

int64_t rows_begin(const struct rows *rows, double row)
{
	/* modulo 2^64, where the hinted range ends there */
	return (int64_t)((uint64_t)rows->low + (uint64_t)fmin(fmax(row * rows->mean, 0), 1e15));
}
