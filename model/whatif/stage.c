/* SPDX-License-Identifier: Apache-2.0 */
/* Local memory between an access and what uses it. */
#include "model/whatif/stage.h"

#include <stdio.h>

#include "model/passes/passes.h"
#include "model/whatif/shape.h"

static uint32_t add_statement(struct ir_kernel *kernel, enum statement_kind kind, uint32_t block,
                              uint32_t line)
{
	uint32_t id = kernel->statement_count++;

	kernel->statements[id] = statement_of(kind, line);
	kernel->statements[id].block = block;
	return id;
}

/* Puts a statement behind another of its block; IR_NONE: at the block's beginning. */
static void put_behind(struct ir_kernel *kernel, uint32_t before, uint32_t id)
{
	struct ir_block *block = &kernel->blocks[kernel->statements[id].block];
	uint32_t *link = before == IR_NONE ? &block->first : &kernel->statements[before].following;

	kernel->statements[id].following = *link;
	*link = id;
	if (kernel->statements[id].following == IR_NONE)
		block->last = id;
}

static uint32_t statement_before(const struct ir_kernel *kernel, uint32_t id)
{
	uint32_t before = IR_NONE;

	for (uint32_t at = kernel->blocks[kernel->statements[id].block].first; at != id;
	     at = kernel->statements[at].following)
		before = at;
	return before;
}

static void take_out(struct ir_kernel *kernel, uint32_t id)
{
	struct ir_block *block = &kernel->blocks[kernel->statements[id].block];
	uint32_t before = statement_before(kernel, id);

	if (before == IR_NONE)
		block->first = kernel->statements[id].following;
	else
		kernel->statements[before].following = kernel->statements[id].following;
	if (block->last == id)
		block->last = before;
	kernel->statements[id].following = IR_NONE;
}

static uint32_t add_node(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t aux,
                         uint64_t imm)
{
	uint32_t id = kernel->node_count++;

	kernel->nodes[id] =
	        (struct ir_node){.op = (uint8_t)op, .type = type, .aux = aux, .imm = imm};
	return id;
}

/* An array of an element a work-item of the group. */
static uint32_t add_tile(struct ir_kernel *kernel, const struct launch *launch,
                         const struct ir_access *access)
{
	uint32_t id = kernel->object_count++;
	const struct ir_object *from = &kernel->objects[access->object];

	kernel->objects[id] = (struct ir_object){
	        .space = SPACE_LOCAL,
	        .argument = IR_NONE,
	        .size_bytes = launch->local[0] * launch->local[1] * launch->local[2] *
	                      type_bytes(access->type),
	        .type = access->type,
	        .element_bytes = type_bytes(access->type),
	};
	(void)snprintf(kernel->objects[id].name, IR_NAME_MAX, "tile.%.100s", from->name);
	return id;
}

/* An access to a tile, at the place that the other access has in its object. */
static uint32_t add_access(struct ir_kernel *kernel, const struct ir_access *like, uint32_t tile,
                           enum access_kind kind, uint32_t value, uint32_t result)
{
	uint32_t id = kernel->access_count++;

	kernel->accesses[id] = *like;
	kernel->accesses[id].kind = (uint8_t)kind;
	kernel->accesses[id].object = tile;
	kernel->accesses[id].is_packed = false;
	kernel->accesses[id].value = value;
	kernel->accesses[id].result = result;
	return id;
}

static uint32_t add_access_statement(struct ir_kernel *kernel, uint32_t block, uint32_t access)
{
	uint32_t id = add_statement(kernel, STATEMENT_ACCESS, block, kernel->accesses[access].line);

	kernel->statements[id].access = access;
	return id;
}

/* What used the load's result uses that of a load from the tile; returns the latter's access. */
static uint32_t split_load(struct ir_kernel *kernel, uint32_t access, uint32_t tile)
{
	uint32_t old = kernel->accesses[access].result;
	uint32_t loaded = add_node(kernel, NODE_LOAD, kernel->nodes[old].type, access, 0);
	uint32_t staged =
	        add_access(kernel, &kernel->accesses[access], tile, ACCESS_LOAD, IR_NONE, old);

	kernel->accesses[access].result = loaded;
	kernel->nodes[old].aux = staged;
	return staged;
}

/* The next global load of a block from a statement on; IR_NONE: there is none. */
static uint32_t next_load(const struct ir_kernel *kernel, uint32_t id)
{
	for (; id != IR_NONE; id = kernel->statements[id].following) {
		const struct ir_access *access;

		if (kernel->statements[id].kind != STATEMENT_ACCESS)
			continue;
		access = &kernel->accesses[kernel->statements[id].access];
		if (access->kind == ACCESS_LOAD && access->result != IR_NONE &&
		    kernel->objects[access->object].space == SPACE_GLOBAL)
			return id;
	}
	return IR_NONE;
}

uint32_t stage_mask(const struct ir_kernel *kernel, const struct launch *launch,
                    const struct evaluation *evaluation, uint32_t block)
{
	uint32_t mask = 0, bit = 1, count = 0;

	for (uint32_t id = next_load(kernel, kernel->blocks[block].first);
	     id != IR_NONE && bit != 0 && count < STAGE_ACCESSES_MAX;
	     id = next_load(kernel, kernel->statements[id].following), bit <<= 1) {
		uint32_t access = kernel->statements[id].access;
		const struct evaluation_access *a = &evaluation->accesses[access];

		if (!access_is_of_argument(kernel, evaluation, access) || !access_is_affine(a) ||
		    kernel->summary->access_block[access] != block ||
		    access_sharers(launch, a) < STAGE_SHARERS_LEAST)
			continue;
		mask |= bit;
		count++;
	}
	return mask;
}

bool stage_block(struct ir_kernel *kernel, const struct launch *launch, uint32_t block,
                 uint32_t mask)
{
	uint32_t owner = kernel->blocks[block].owner, inner, last = IR_NONE, branch, bit = 1, next;
	unsigned count = 0;

	if (owner == IR_NONE || next_load(kernel, kernel->blocks[block].first) == IR_NONE)
		return false;
	inner = kernel->block_count++;
	branch = add_statement(kernel, STATEMENT_BRANCH, block, kernel->statements[owner].line);
	kernel->statements[branch].condition =
	        add_node(kernel, NODE_UNKNOWN, type_scalar(SCALAR_INT), 0, UINT32_MAX);
	kernel->statements[branch].body = inner;
	kernel->statements[branch].is_tile = true;
	kernel->blocks[inner] =
	        (struct ir_block){.owner = branch, .first = IR_NONE, .last = IR_NONE};
	for (uint32_t id = next_load(kernel, kernel->blocks[block].first); id != IR_NONE;
	     id = next_load(kernel, next), bit <<= 1) {
		uint32_t access = kernel->statements[id].access, tile, staged, store;

		next = kernel->statements[id].following;
		if ((mask & bit) == 0 || count == STAGE_ACCESSES_MAX)
			continue;
		if (count++ == 0)
			put_behind(kernel, statement_before(kernel, id), branch);
		tile = add_tile(kernel, launch, &kernel->accesses[access]);
		staged = split_load(kernel, access, tile);
		put_behind(kernel, id, add_access_statement(kernel, block, staged));
		take_out(kernel, id);
		kernel->statements[id].block = inner;
		put_behind(kernel, last, id);
		store = add_access(kernel, &kernel->accesses[access], tile, ACCESS_STORE,
		                   kernel->accesses[access].result, IR_NONE);
		last = add_access_statement(kernel, inner, store);
		put_behind(kernel, id, last);
	}
	if (count == 0)
		return false;
	put_behind(kernel, last, add_statement(kernel, STATEMENT_BARRIER, inner, 0));
	put_behind(kernel, IR_NONE, add_statement(kernel, STATEMENT_BARRIER, inner, 0));
	return true;
}

bool stage_access(struct ir_kernel *kernel, const struct launch *launch, uint32_t access)
{
	uint32_t id = 0, tile, staged, store, store_id, load_id, barrier, before;
	bool is_load = kernel->accesses[access].kind == ACCESS_LOAD;

	while (id < kernel->statement_count && (kernel->statements[id].kind != STATEMENT_ACCESS ||
	                                        kernel->statements[id].access != access))
		id++;
	if (id == kernel->statement_count || kernel->accesses[access].kind == ACCESS_ATOMIC ||
	    (is_load && kernel->accesses[access].result == IR_NONE))
		return false;
	tile = add_tile(kernel, launch, &kernel->accesses[access]);
	if (is_load) {
		staged = split_load(kernel, access, tile);
		store = add_access(kernel, &kernel->accesses[access], tile, ACCESS_STORE,
		                   kernel->accesses[access].result, IR_NONE);
		before = id;
	} else {
		uint32_t result = add_node(kernel, NODE_LOAD, kernel->accesses[access].type,
		                           kernel->access_count, 0);

		staged = add_access(kernel, &kernel->accesses[access], tile, ACCESS_LOAD, IR_NONE,
		                    result);
		store = add_access(kernel, &kernel->accesses[access], tile, ACCESS_STORE,
		                   kernel->accesses[access].value, IR_NONE);
		kernel->accesses[access].value = result;
		before = statement_before(kernel, id);
	}
	store_id = add_access_statement(kernel, kernel->statements[id].block, store);
	put_behind(kernel, before, store_id);
	barrier = add_statement(kernel, STATEMENT_BARRIER, kernel->statements[id].block, 0);
	put_behind(kernel, store_id, barrier);
	load_id = add_access_statement(kernel, kernel->statements[id].block, staged);
	put_behind(kernel, barrier, load_id);
	return true;
}

/* Behind a statement of block 0; IR_NONE: at its beginning. Returns the one that was added. */
static uint32_t put_access(struct ir_kernel *kernel, uint32_t before, uint32_t access)
{
	uint32_t id = add_access_statement(kernel, 0, access);

	put_behind(kernel, before, id);
	return id;
}

static uint32_t put_barrier(struct ir_kernel *kernel, uint32_t before)
{
	uint32_t id = add_statement(kernel, STATEMENT_BARRIER, 0, 0);

	put_behind(kernel, before, id);
	return id;
}

bool stage_object(struct ir_kernel *kernel, const struct launch *launch, uint32_t object,
                  double bytes)
{
	struct ir_access like = {.object = object, .value = IR_NONE, .result = IR_NONE};
	const struct ir_object *from = &kernel->objects[object];
	uint32_t id = kernel->object_count, index, value, last, argument = from->argument;
	bool is_counted = false;

	if ((from->space != SPACE_GLOBAL && from->space != SPACE_CONSTANT) ||
	    argument >= launch->argument_count || from->element_bytes == 0 ||
	    from->element_bytes != type_bytes(from->type))
		return false;
	kernel->objects[id] = *from;
	kernel->objects[id].space = SPACE_LOCAL;
	kernel->objects[id].argument = IR_NONE;
	kernel->objects[id].size_bytes =
	        bytes > 0 ? (uint64_t)bytes : launch->arguments[argument].size_bytes;
	kernel->object_count++;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct ir_access *access = &kernel->accesses[i];

		if (access->object != object)
			continue;
		is_counted |= access->kind == ACCESS_ATOMIC;
		like.is_exchange |= access->is_exchange;
		like.is_extreme |= access->is_extreme;
		access->object = id;
	}
	index = add_node(kernel, NODE_LOCAL_ID, type_scalar(SCALAR_ULONG), 0, 0);
	like.index = index;
	like.scale_bytes = from->element_bytes;
	like.type = from->type;
	if (is_counted) {
		uint32_t access = kernel->access_count++;

		last = put_barrier(kernel, kernel->blocks[0].last);
		like.kind = ACCESS_ATOMIC;
		like.value = add_node(kernel, NODE_CONST_INT, from->type, 0, 1);
		like.result = add_node(kernel, NODE_ATOMIC, from->type, access, 0);
		kernel->accesses[access] = like;
		(void)put_access(kernel, last, access);
		return true;
	}
	value = add_node(kernel, NODE_LOAD, from->type, kernel->access_count, 0);
	last = put_access(kernel, IR_NONE,
	                  add_access(kernel, &like, object, ACCESS_LOAD, IR_NONE, value));
	last = put_access(kernel, last,
	                  add_access(kernel, &like, id, ACCESS_STORE, value, IR_NONE));
	(void)put_barrier(kernel, last);
	return true;
}
