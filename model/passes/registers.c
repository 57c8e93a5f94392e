/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many 32-bit values are alive at once, at most: each lives from the
 * statement that first needs it to the one that last does, and through every
 * loop that it enters from outside.
 */
#include <stdlib.h>

#include "model/passes/pass.h"

struct lives {
	struct pass *pass;
	uint32_t *last_use; /* per node: place in the order */
	uint32_t *end;      /* per statement: place of the last one within it */
	int64_t *change;    /* per place: values that begin less those that end before it */
};

/* The statement in `block` that the statement is, or is within; itself where there is none. */
static uint32_t statement_in(const struct pass *pass, uint32_t statement, uint32_t block)
{
	const struct ir_kernel *kernel = pass->kernel;
	if (!pass_contains(pass, block, kernel->statements[statement].block))
		return statement;
	while (kernel->statements[statement].block != block)
		statement = kernel->blocks[kernel->statements[statement].block].owner;
	return statement;
}

/* The place to which a value of `block` lives when the statement at `place` needs it. */
static uint32_t place_needed(const struct lives *lives, uint32_t block, uint32_t place)
{
	const struct pass *pass = lives->pass;
	uint32_t around = statement_in(pass, pass->order[place], block);
	if (pass->kernel->statements[around].kind == STATEMENT_LOOP &&
	    pass->position[around] != place)
		return lives->end[around];
	return place;
}

static void need(struct lives *lives, uint32_t node, uint32_t place)
{
	struct pass *pass = lives->pass;
	if (node == IR_NONE)
		return;
	uint32_t block = pass->summary->node_block[node];
	uint32_t first = pass->position[statement_in(pass, pass->order[place], block)];
	uint32_t last = place_needed(lives, block, place);
	if (first < pass->first_use[node])
		pass->first_use[node] = first;
	if (last > lives->last_use[node])
		lives->last_use[node] = last;
}

static void need_in_statements(struct lives *lives)
{
	struct pass *pass = lives->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t place = 0; place < kernel->statement_count; place++) {
		uint32_t s = pass->order[place];
		const struct ir_statement *statement = &kernel->statements[s];
		if (statement->kind == STATEMENT_ACCESS) {
			const struct ir_access *access = &kernel->accesses[statement->access];
			uint32_t block = pass->summary->access_block[statement->access];
			if (block == IR_NONE)
				continue;
			uint32_t at = pass->position[statement_in(pass, s, block)];
			need(lives, access->index, at);
			need(lives, access->value, at);
			if (access->result != IR_NONE && pass->live[access->result])
				need(lives, access->result, at);
			continue;
		}
		need(lives, statement->condition, place);
		for (uint32_t i = 0; i < statement->variable_count; i++) {
			const struct ir_variable *variable =
			        &kernel->variables[statement->first_variable + i];
			if (!pass->live[variable->node])
				continue;
			need(lives, variable->init, place);
			need(lives, variable->next, lives->end[s]);
			pass->first_use[variable->node] = place;
			if (lives->last_use[variable->node] < lives->end[s])
				lives->last_use[variable->node] = lives->end[s];
		}
	}
}

/* In registers of 32 bits; what a constant, an argument or unrolling provides takes none. */
static int64_t registers_of(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (pass->is_fixed[id] || node->op == NODE_ARG)
		return 0;
	return ((int64_t)type_bytes(node->type) + 3) / 4;
}

static void find_ends(struct lives *lives)
{
	const struct pass *pass = lives->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t place = 0; place < kernel->statement_count; place++) {
		uint32_t s = pass->order[place];
		uint32_t following = kernel->statements[s].following;
		uint32_t owner = kernel->blocks[kernel->statements[s].block].owner;
		if (following != IR_NONE)
			lives->end[s] = pass->position[following] - 1;
		else
			lives->end[s] =
			        owner != IR_NONE ? lives->end[owner] : kernel->statement_count - 1;
	}
}

static void measure(struct lives *lives)
{
	struct pass *pass = lives->pass;
	const struct ir_kernel *kernel = pass->kernel;
	int64_t alive = 0, most = 0;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		if (!pass->live[id] || pass->first_use[id] >= lives->last_use[id])
			continue;
		int64_t registers = registers_of(pass, id);
		lives->change[pass->first_use[id]] += registers;
		lives->change[lives->last_use[id]] -= registers;
	}
	for (uint32_t place = 0; place < kernel->statement_count; place++) {
		alive += lives->change[place];
		most = alive > most ? alive : most;
	}
	pass->summary->register_estimate = most > INT32_MAX ? INT32_MAX : (uint32_t)most;
}

enum status pass_registers(struct pass *pass, struct error *error)
{
	const struct ir_kernel *kernel = pass->kernel;
	size_t statements = (size_t)kernel->statement_count + 1;
	struct lives lives = {.pass = pass};
	enum status status = STATUS_OK;
	lives.last_use = calloc((size_t)kernel->node_count + 1, sizeof *lives.last_use);
	lives.end = calloc(statements, sizeof *lives.end);
	lives.change = calloc(statements, sizeof *lives.change);
	if (lives.last_use == NULL || lives.end == NULL || lives.change == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory",
		                   kernel->name);
		goto out;
	}
	for (uint32_t id = 0; id < kernel->node_count; id++)
		pass->first_use[id] = IR_NONE;
	find_ends(&lives);
	need_in_statements(&lives);
	/* Users are younger than what they use. */
	for (uint32_t id = kernel->node_count; id-- > 0;)
		for (unsigned i = 0; pass->live[id] && i < kernel->nodes[id].operand_count; i++)
			if (pass->first_use[id] != IR_NONE)
				need(&lives, pass_operand(pass, id, i), pass->first_use[id]);
	measure(&lives);
out:
	free(lives.last_use);
	free(lives.end);
	free(lives.change);
	return status;
}
