/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What prevents a CPU from running work-items as lanes of vector instructions.
 *
 * PoCL puts a loop over the work-items of a group around each region between
 * barriers (Jaaskelainen et al., IJPP 43(5), 2015) and LLVM vectorises innermost loops: so a
 * loop that stays in the region prevents it, as do atomics, integer division
 * by a variable or of 64 bits (LLVM takes that for twenty times as expensive in vectors), built-ins
 * that PoCL has in scalar form alone, and values of vector types (LLVM's legality: vectors are no
 * elements of vectors). A loop that contains a barrier stands outside the loop over work-items and
 * is no obstacle. Divisions and calls whose value is the same for all work-items move out of that
 * loop.
 */
#include <stdlib.h>

#include "model/passes/pass.h"
#include "model/underived.h"

struct vector_region {
	double operations; /* of one work-item, loops of unknown length taken as UNKNOWN_TRIPS */
	double direct;     /* of them, those in the block of the region itself */
	uint32_t block;    /* the block that the region is a part of */
	enum vector_obstacle obstacle;
	uint32_t line;
};

enum { WIDE_BYTES = 8 };

struct vector {
	struct pass *pass;
	struct vector_region *regions;
	uint32_t count;
	uint32_t *region_of; /* per statement; IR_NONE: a barrier, or around one */
	bool *is_uniform;    /* per node: the same for all work-items */
};

/* The first obstacle of the gravest kind stays: loops, atomics, then the rest by number. */
static unsigned gravity(enum vector_obstacle obstacle)
{
	switch (obstacle) {
	case VECTOR_LOOP:
		return 5;
	case VECTOR_ATOMIC:
		return 4;
	case VECTOR_DIVISION:
		return 3;
	case VECTOR_TYPE:
	case VECTOR_CALL:
		return 2;
	default:
		return 0;
	}
}

static void obstruct(struct vector_region *region, enum vector_obstacle obstacle, uint32_t line)
{
	if (gravity(obstacle) <= gravity(region->obstacle))
		return;
	region->obstacle = obstacle;
	region->line = line;
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool has_barrier(const struct pass *pass, const struct ir_statement *statement)
{
	return statement->kind == STATEMENT_BARRIER ||
	       (statement->body != IR_NONE && pass->block_barrier[statement->body]) ||
	       (statement->otherwise != IR_NONE && pass->block_barrier[statement->otherwise]);
}

/* A component of a vector in memory is read with all of it; private ones become registers. */
static bool moves_vector(const struct ir_kernel *kernel, const struct ir_access *access)
{
	const struct ir_object *object = &kernel->objects[access->object];
	return object->space != SPACE_PRIVATE && object->space != SPACE_IMAGE &&
	       (access->type.width > 1 || object->type.width > 1);
}

static bool is_outer(const struct pass *pass, uint32_t s)
{
	return pass->kernel->statements[s].kind == STATEMENT_LOOP &&
	       pass->summary->loops[pass->loop_index[s]].is_outer;
}

static void examine_statement(struct vector *vector, struct vector_region *region, uint32_t s)
{
	const struct pass *pass = vector->pass;
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *statement = &kernel->statements[s];
	if (statement->kind == STATEMENT_LOOP &&
	    !pass->summary->loops[pass->loop_index[s]].is_unrolled_early)
		obstruct(region, VECTOR_LOOP, statement->line);
	if (statement->kind == STATEMENT_EFFECT)
		obstruct(region, VECTOR_CALL, statement->line);
	if (statement->kind != STATEMENT_ACCESS ||
	    pass->summary->access_block[statement->access] == IR_NONE)
		return;
	const struct ir_access *access = &kernel->accesses[statement->access];
	if (access->kind == ACCESS_ATOMIC)
		obstruct(region, VECTOR_ATOMIC, statement->line);
	if (moves_vector(kernel, access))
		obstruct(region, VECTOR_TYPE, statement->line);
}

/*
 * Divides the statements among regions: in a block with barriers a region runs
 * from one barrier, or statement around one, to the next; what stands below a
 * statement belongs to its region.
 */
static void divide(struct vector *vector)
{
	const struct pass *pass = vector->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		vector->region_of[s] = IR_NONE;
	for (uint32_t i = 0; i < pass->block_order_count; i++) {
		uint32_t block = pass->block_order[i], owner = kernel->blocks[block].owner;
		uint32_t region = IR_NONE;
		if (owner != IR_NONE && vector->region_of[owner] != IR_NONE)
			region = vector->region_of[owner]; /* wholly within one */
		bool is_divided = region == IR_NONE;
		for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
		     s = kernel->statements[s].following) {
			if (is_divided &&
			    (has_barrier(pass, &kernel->statements[s]) || is_outer(pass, s))) {
				region = IR_NONE;
				continue;
			}
			if (region == IR_NONE) {
				region = vector->count++;
				vector->regions[region] = (struct vector_region){.block = block};
			}
			vector->region_of[s] = region;
			examine_statement(vector, &vector->regions[region], s);
		}
	}
}

/* ---- nodes --------------------------------------------------------------------------------- */

static bool is_uniform(const struct vector *vector, uint32_t id)
{
	const struct pass *pass = vector->pass;
	const struct ir_node *node = &pass->kernel->nodes[id];
	switch ((enum node_op)node->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
	case NODE_LOOP_VAR:
	case NODE_LOAD:
	case NODE_ATOMIC:
	case NODE_UNKNOWN:
		return false;
	default:
		for (unsigned i = 0; i < node->operand_count; i++)
			if (!vector->is_uniform[pass_operand(pass, id, i)])
				return false;
		return true;
	}
}

/*
 * Whether an operation of vectors stays one: it is taken apart where a single component is all
 * that is needed of it (InstCombineVectorOps.cpp: cheapToScalarize). PoCL's dot() multiplies
 * vectors, whatever they were made of, and adds up the components.
 */
static bool stays_vector(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (node->op == NODE_FMA && node->aux == FMA_OF_VECTORS)
		return true;
	return node->type.width > 1 && pass->uses[id] > 1 &&
	       (node->op == NODE_CALL || node_op_class((enum node_op)node->op) != OP_CLASS_NONE);
}

static enum vector_obstacle node_obstacle(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (stays_vector(pass, id))
		return VECTOR_TYPE;
	if ((node->op == NODE_DIV || node->op == NODE_REM) && type_is_integer(node->type)) {
		uint32_t divisor = pass_operand(pass, id, 1);
		uint64_t value;
		if (!pass_integer(pass, divisor, &value) && !pass->is_fixed[divisor])
			return VECTOR_DIVISION;
		/* upper halves of products have vectors, of up to 32 bits */
		return scalar_bytes((enum scalar)node->type.scalar) < WIDE_BYTES ||
		                       pass_is_shift(pass, divisor)
		               ? VECTOR_OK
		               : VECTOR_DIVISION;
	}
	return VECTOR_OK;
}

/* The region of the statement that first needs a node; NULL: of none. */
static struct vector_region *region_of_node(const struct vector *vector, uint32_t id)
{
	const struct pass *pass = vector->pass;
	uint32_t place = pass->first_use[id];
	if (place >= pass->kernel->statement_count)
		return NULL;
	uint32_t region = vector->region_of[pass->order[place]];
	return region == IR_NONE ? NULL : &vector->regions[region];
}

static double trips_of(const struct pass *pass, uint32_t loop)
{
	const struct ir_loop *known = &pass->summary->loops[pass->loop_index[loop]];
	return known->trip == TRIP_CONSTANT ? (double)known->trips : UNKNOWN_TRIPS;
}

/* How often a block runs, for weighing regions against each other. */
static double weight_of(const struct pass *pass, uint32_t block)
{
	double weight = 1;
	for (uint32_t loop = pass->block_loop[block]; loop != IR_NONE;
	     loop = pass->block_loop[pass->kernel->statements[loop].block])
		weight *= trips_of(pass, loop);
	return weight < 1e12 ? weight : 1e12;
}

static void weigh(struct vector *vector, struct vector_region *region, uint32_t block,
                  double operations)
{
	region->operations += operations * weight_of(vector->pass, block);
	if (block == region->block)
		region->direct += operations;
}

static void examine_nodes(struct vector *vector)
{
	const struct pass *pass = vector->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		if (!pass->live[id])
			continue;
		vector->is_uniform[id] = is_uniform(vector, id);
		struct vector_region *region = region_of_node(vector, id);
		if (region == NULL || kernel->nodes[id].operand_count == 0 || pass->is_fixed[id])
			continue;
		weigh(vector, region, pass->summary->node_block[id],
		      (double)kernel->nodes[id].type.width);
		if (!vector->is_uniform[id])
			obstruct(region, node_obstacle(pass, id),
			         kernel->statements[pass->order[pass->first_use[id]]].line);
	}
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (kernel->statements[s].kind == STATEMENT_ACCESS &&
		    vector->region_of[s] != IR_NONE &&
		    pass->summary->access_block[kernel->statements[s].access] != IR_NONE)
			weigh(vector, &vector->regions[vector->region_of[s]],
			      kernel->statements[s].block, 1);
}

/* ---- the answer ---------------------------------------------------------------------------- */

static void conclude(struct vector *vector)
{
	struct pass *pass = vector->pass;
	struct ir_summary *summary = pass->summary;
	const struct ir_kernel *kernel = pass->kernel;
	double most = -1;
	for (uint32_t i = 0; i < vector->count; i++) {
		if (vector->regions[i].operations <= most)
			continue;
		most = vector->regions[i].operations;
		summary->obstacle = vector->regions[i].obstacle;
		summary->obstacle_line = vector->regions[i].line;
	}
	for (uint32_t i = 0; i < pass->block_order_count; i++) {
		uint32_t block = pass->block_order[i], owner = kernel->blocks[block].owner;
		const struct vector_region *heaviest = NULL;
		if (owner != IR_NONE && vector->region_of[owner] != IR_NONE) {
			heaviest = &vector->regions[vector->region_of[owner]];
		} else {
			for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
			     s = kernel->statements[s].following) {
				const struct vector_region *region =
				        vector->region_of[s] == IR_NONE
				                ? NULL
				                : &vector->regions[vector->region_of[s]];
				if (region != NULL &&
				    (heaviest == NULL || region->direct > heaviest->direct))
					heaviest = region;
			}
		}
		summary->block_obstacle[block] =
		        (uint8_t)(heaviest != NULL ? heaviest->obstacle : VECTOR_OK);
		summary->block_region[block] =
		        heaviest != NULL ? (uint32_t)(heaviest - vector->regions) : IR_NONE;
	}
}

enum status pass_vector(struct pass *pass, struct error *error)
{
	const struct ir_kernel *kernel = pass->kernel;
	size_t statements = (size_t)kernel->statement_count + 1;
	struct vector vector = {.pass = pass, .is_uniform = pass->marks};
	enum status status = STATUS_OK;
	bool *is_met = calloc((size_t)kernel->block_count + 1, sizeof *is_met);
	vector.regions = calloc(statements, sizeof *vector.regions); /* at most one each */
	vector.region_of = malloc(statements * sizeof *vector.region_of);
	if (vector.regions == NULL || vector.region_of == NULL || is_met == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory",
		                   kernel->name);
		goto out;
	}
	pass_outer(pass, is_met);
	divide(&vector);
	examine_nodes(&vector);
	conclude(&vector);
out:
	free(is_met);
	free(vector.regions);
	free(vector.region_of);
	return status;
}
