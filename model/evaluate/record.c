/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that ask whether a value is among the best so far. Of values that come in no order the
 * n-th is the best with one chance in n, so that of n there are 1 + 1/2 + ... + 1/n (Renyi, Ann.
 * Sci. Univ. Clermont 8, 1962), and among the k best with k in n. The best is kept by a variable of
 * a loop; the k best by an array of the work-item's own, of which the test reads the last place, or
 * a variable that is read from there whenever one is put in.
 */
#include "model/evaluate/chance.h"

#include <math.h>

enum { RECORD_DEPTH_MAX = 8 };

/* A loop's variable; NULL: the node is none. */
static const struct ir_variable *variable_of(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	if (n->op != NODE_LOOP_VAR || n->aux >= kernel->statement_count)
		return NULL;
	return kernel_variable(kernel, node);
}

/* What takes a variable's place where a test holds, and nothing does else; IR_NONE: no such. */
static uint32_t successor(const struct ir_kernel *kernel, const struct ir_variable *best,
                          uint32_t test)
{
	uint32_t next = best->next;

	/* one that is better still goes another way: if (v < first) ... else if (v < second) ... */
	for (unsigned depth = 0; next != IR_NONE && depth < RECORD_DEPTH_MAX; depth++) {
		const uint32_t *operands;

		next = kernel_unconverted(kernel, next);
		operands = kernel_operands(kernel, next);
		if (kernel->nodes[next].op != NODE_PHI && kernel->nodes[next].op != NODE_SELECT)
			return IR_NONE;
		if (operands[0] == test)
			return kernel_unconverted(kernel, operands[2]) == best->node
			               ? kernel_unconverted(kernel, operands[1])
			               : IR_NONE;
		next = operands[2];
	}
	return IR_NONE;
}

/*
 * Whether a value is made of the best so far, itself or by way of another variable: numbers that
 * take each other's place (a < b ? b : a of Euclid's) are no values that come by.
 */
static bool is_made_of(const struct chances *e, uint32_t node, const struct ir_variable *best,
                       bool is_next, unsigned depth)
{
	const struct ir_kernel *kernel = e->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_variable *other;

	if (node == best->node)
		return true;
	if (depth >= RECORD_DEPTH_MAX || !question_looks(e->question))
		return false;
	other = variable_of(kernel, node);
	if (other != NULL)
		return !is_next && n->aux == kernel->nodes[best->node].aux &&
		       other->next != IR_NONE && is_made_of(e, other->next, best, true, depth + 1);
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_made_of(e, kernel_operands(kernel, node)[i], best, is_next, depth + 1))
			return true;
	return false;
}

/* Values that come by until all loops end through which a variable goes. */
static double tries_of_variable(const struct chances *e, const struct ir_variable *best)
{
	double tries = 1;

	for (unsigned depth = 0; depth < RECORD_DEPTH_MAX; depth++) {
		const struct ir_variable *outer = variable_of(e->kernel, best->init);

		tries *= fmax(
		        1, e->tallies[list_of(e->kernel, e->kernel->nodes[best->node].aux)].most);
		if (outer == NULL || outer->next != best->node)
			break;
		best = outer;
	}
	return tries;
}

/* An array of the work-item's own, as an access to it shows that has a place of its own. */
struct record {
	uint32_t object, value;
	int64_t place; /* bytes */
	unsigned bytes;
	uint32_t branch; /* behind which values are put in */
};

/* The load of a private array at a place that never changes. */
static bool find_place(const struct ir_kernel *kernel, uint32_t node, struct record *record)
{
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_access *a;
	int64_t index = 0;

	if (n->op != NODE_LOAD)
		return false;
	a = &kernel->accesses[n->aux];
	if (kernel->objects[a->object].space != SPACE_PRIVATE ||
	    (a->index != IR_NONE && !kernel_constant(kernel, a->index, &index)))
		return false;
	record->object = a->object;
	record->place = a->offset_bytes + (int64_t)a->scale_bytes * index;
	record->bytes = type_bytes(a->type);
	return true;
}

static const struct ir_access *store_into(const struct ir_kernel *kernel, uint32_t statement,
                                          uint32_t object)
{
	const struct ir_statement *s = &kernel->statements[statement];

	if (s->kind != STATEMENT_ACCESS || kernel->accesses[s->access].kind != ACCESS_STORE ||
	    kernel->accesses[s->access].object != object)
		return NULL;
	return &kernel->accesses[s->access];
}

/* The branch by a test behind which the value is put into the array. */
static bool find_branch(const struct chances *e, uint32_t test, struct record *record)
{
	const struct ir_kernel *kernel = e->kernel;

	for (uint32_t i = 0; i < kernel->statement_count && question_looks(e->question); i++) {
		const struct ir_access *store = store_into(kernel, i, record->object);
		uint32_t block = kernel->statements[i].block;

		if (!store || kernel_unconverted(kernel, store->value) != record->value)
			continue;
		for (uint32_t owner; (owner = kernel->blocks[block].owner) != IR_NONE;
		     block = kernel->statements[owner].block)
			if (kernel->statements[owner].kind == STATEMENT_BRANCH &&
			    kernel->statements[owner].condition == test &&
			    kernel->statements[owner].body == block) {
				record->branch = owner;
				return true;
			}
	}
	return false;
}

/* Places from the one that is asked for to the array's other end. */
static double places_of(const struct ir_kernel *kernel, const struct record *record)
{
	int64_t base = 0, end = (int64_t)kernel->objects[record->object].size_bytes;

	/* members of a struct that are arrays begin where accesses by an index do */
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		int64_t index;

		if (a->object != record->object || a->index == IR_NONE ||
		    kernel_constant(kernel, a->index, &index))
			continue;
		if (a->offset_bytes <= record->place && a->offset_bytes > base)
			base = a->offset_bytes;
		else if (a->offset_bytes > record->place && a->offset_bytes < end)
			end = a->offset_bytes;
	}
	if (record->place - base >= record->bytes)
		return (double)(record->place - base) / record->bytes + 1;
	return fmax(1, (double)(end - record->place) / record->bytes);
}

/* Values that come by before anything else is put into the array. */
static double tries_of_array(const struct chances *e, const struct record *record)
{
	const struct ir_kernel *kernel = e->kernel;
	double tries = 1;

	for (uint32_t list = e->schedule->list[record->value]; list != 0;
	     list = e->question->sizes->loops[list - 1].parent == IR_NONE
	                    ? 0
	                    : e->question->sizes->loops[list - 1].parent + 1) {
		uint32_t loop = e->kernel->summary->loops[list - 1].statement;

		if (kernel_is_within(kernel, kernel->statements[loop].body, record->branch))
			return 1;
		for (uint32_t i = 0; i < kernel->statement_count; i++)
			if (!question_looks(e->question) ||
			    (store_into(kernel, i, record->object) &&
			     kernel_is_within(kernel, kernel->statements[i].block, loop) &&
			     !kernel_is_within(kernel, kernel->statements[i].block,
			                       record->branch)))
				return tries;
		tries *= fmax(1, e->tallies[list].most);
	}
	return tries;
}

static bool find_record(const struct chances *e, uint32_t test, double *places, double *tries)
{
	const struct ir_kernel *kernel = e->kernel;
	const uint32_t *operands = kernel_operands(kernel, test);

	if (kernel->nodes[test].op != NODE_LT && kernel->nodes[test].op != NODE_LE)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t kept = kernel_unconverted(kernel, operands[i]);
		const struct ir_variable *best = variable_of(kernel, kept);
		struct record record = {.value = kernel_unconverted(kernel, operands[1 - i])};
		uint32_t next = best ? successor(kernel, best, test) : IR_NONE;

		*places = 1;
		if (next == record.value && !is_made_of(e, next, best, false, 0)) {
			*tries = tries_of_variable(e, best);
			return true;
		}
		if (!find_place(kernel, next != IR_NONE ? next : kept, &record) ||
		    !find_branch(e, test, &record))
			continue;
		*places = places_of(kernel, &record);
		*tries = tries_of_array(e, &record);
		return true;
	}
	return false;
}

/* 1 + 1/2 + ... + 1/n */
static double harmonic(double n)
{
	const double gamma = 0.5772;

	return n < 1.5 ? 1 : log(n) + gamma + 1 / (2 * n);
}

bool record_chance(const struct chances *e, uint32_t test, double *chance)
{
	double places, tries;

	if (test == IR_NONE || !find_record(e, test, &places, &tries) || tries < 2)
		return false;
	*chance = 1;
	if (tries > places)
		*chance = fmin(1, places * (1 + harmonic(tries) - harmonic(places)) / tries);
	return true;
}

double record_chance_of_any(const struct chances *e, uint32_t test, unsigned lanes)
{
	double places, tries, sum = 0, from = 0;

	if (test == IR_NONE || !find_record(e, test, &places, &tries) || !(tries > places))
		return 1;
	/* in parts that grow as the chance falls */
	for (double to = places; from < tries; to *= 1.25) {
		double end = fmin(to, tries), middle = fmax(places, (from + end) / 2);

		sum += (end - from) * (1 - pow(1 - places / middle, lanes));
		from = end;
	}
	return sum / tries;
}
