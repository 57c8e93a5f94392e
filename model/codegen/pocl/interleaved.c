/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses a few elements apart from one work-item to the next, which a CPU's vectors make of whole
 * lines: all that lies between is loaded, and what is asked for is picked out of it.
 *
 * LLVM groups loads, or stores, of one array that lie within a step of at most eight elements
 * (interleaved groups: VectorUtils.cpp, InterleavedAccessInfo; Nuzman, Rosen, Zaks, PLDI 2006).
 * Stores have to fill the step, and so have loads at positions that may wrap: of 32 bits, unless it
 * is an int times a power of two. Other loads may leave gaps; under a mask there are none. The step
 * is a literal to the compiler, and so is the distance of two of a group: an int position and the
 * next one, `p` and `p + 1`, are one apart only where low bits of p that are zero show that nothing
 * wraps (ScalarEvolution.cpp: extractConstantWithoutWrapping). What is not grouped is gathered.
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/codegen/pocl/llvm.h"
#include "model/mechanisms.h"

enum {
	WORD_BYTES = 4, /* of an element by which vectors were calibrated */
	ALL_ZERO = 64,
	NEIGHBOURS = 512,    /* accesses before and behind one that may be of its group */
	APART_MAX = 1 << 30, /* bytes between two of a group */
	BYTES_APART =
	        4, /* of bytes, from which on they are picked out in three steps, not in one */
	BYTE_STEPS = 3
};

/* An integer from one work-item of the loop to the next: base + literal + step * work-item. */
struct place {
	bool is_counted; /* the step is a literal to the compiler */
	bool is_narrow;  /* of fewer than 64 bits, so that it may wrap */
	bool is_masked;  /* and it does: of its low bits alone */
	int64_t step;
	uint32_t base; /* node; IR_NONE: a literal alone */
	int64_t literal;
	unsigned zeros; /* low bits of the base that are zero where the loop begins */
};

struct places {
	const struct machine *m;
	struct place *of_node;
	unsigned lanes; /* the dimension that the loop is over */
};

static const struct place *operand_place(const struct places *p, const struct ir_node *node,
                                         unsigned i)
{
	return &p->of_node[p->m->input->kernel->operands[node->first_operand + i]];
}

static unsigned trailing_zeros(uint64_t value)
{
	return value == 0 ? ALL_ZERO : (unsigned)__builtin_ctzll(value);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* As integers of 64 bits are added and subtracted: numbers out of a source may wrap. */
static int64_t joined(enum node_op op, int64_t a, int64_t b)
{
	return (int64_t)(op == NODE_SUB ? (uint64_t)a - (uint64_t)b : (uint64_t)a + (uint64_t)b);
}

/* Low bits that are zero of a base and its literal. */
static unsigned zeros_of(const struct place *place)
{
	return least(place->zeros, trailing_zeros((uint64_t)place->literal));
}

/* Made of something else than a base and a literal: a base of its own. */
static struct place based(uint32_t id, const struct place *from)
{
	struct place place = *from;

	place.base = id;
	place.zeros = zeros_of(from);
	place.literal = 0;
	return place;
}

/* A number in more bits: its literal stays one where zeros below show that it does not wrap. */
static struct place widened(const struct ir_kernel *kernel, uint32_t id, const struct place *from)
{
	if (scalar_bytes((enum scalar)kernel->nodes[id].type.scalar) >= 8 || from->literal == 0 ||
	    from->base == IR_NONE)
		return *from;
	if (from->literal > 0 && (from->zeros >= ALL_ZERO || from->literal >> from->zeros == 0))
		return *from;
	return based(id, from);
}

static struct place sum_of(const struct places *p, uint32_t id, const struct ir_node *node)
{
	const struct place *a = operand_place(p, node, 0), *b = operand_place(p, node, 1);
	enum node_op op = (enum node_op)node->op;
	struct place place = {.is_counted = a->is_counted && b->is_counted,
	                      .is_narrow = a->is_narrow || b->is_narrow,
	                      .is_masked = a->is_masked || b->is_masked,
	                      .step = joined(op, a->step, b->step),
	                      .base = id,
	                      .zeros = least(zeros_of(a), zeros_of(b))};

	if (b->base == IR_NONE) {
		place.base = a->base;
		place.zeros = a->zeros;
		place.literal = joined(op, a->literal, b->literal);
	} else if (a->base == IR_NONE && op == NODE_ADD) {
		place.base = b->base;
		place.zeros = b->zeros;
		place.literal = joined(op, a->literal, b->literal);
	}
	return place;
}

static struct place product_of(const struct places *p, uint32_t id, const struct ir_node *node)
{
	const struct place *a = operand_place(p, node, 0), *b = operand_place(p, node, 1);
	unsigned zeros = zeros_of(a) + zeros_of(b);
	struct place place = {.base = id,
	                      .is_narrow = a->is_narrow || b->is_narrow,
	                      .is_masked = a->is_masked || b->is_masked,
	                      .zeros = zeros < ALL_ZERO ? zeros : ALL_ZERO};

	if (b->base == IR_NONE)
		place.step = (int64_t)((uint64_t)a->step * (uint64_t)b->literal);
	else if (a->base == IR_NONE)
		place.step = (int64_t)((uint64_t)b->step * (uint64_t)a->literal);
	place.is_counted =
	        (a->is_counted && b->is_counted) &&
	        (b->base == IR_NONE || a->base == IR_NONE || (a->step == 0 && b->step == 0));
	return place;
}

static struct place shifted_of(const struct places *p, uint32_t id, const struct ir_node *node)
{
	const struct place *a = operand_place(p, node, 0), *by = operand_place(p, node, 1);
	struct place place = {.base = id, .is_counted = a->is_counted && a->step == 0};

	if (by->base != IR_NONE || by->literal < 0 || by->literal >= WORD_BYTES * 8)
		return place;
	place.is_counted = a->is_counted;
	place.is_narrow = a->is_narrow;
	place.is_masked = a->is_masked;
	place.step = (int64_t)((uint64_t)a->step << by->literal);
	place.zeros = least(zeros_of(a) + (unsigned)by->literal, ALL_ZERO);
	return place;
}

/* Low bits of a number: where they do not wrap within a work-group, they step as it does. */
static struct place masked_of(const struct places *p, uint32_t id, const struct ir_node *node)
{
	const struct place *a = operand_place(p, node, 0), *mask = operand_place(p, node, 1);
	uint64_t ones = (uint64_t)mask->literal - (node->op == NODE_REM);
	struct place place = {.base = id, .is_counted = p->m->code.is_common[id]};

	if (mask->base != IR_NONE || (ones & (ones + 1)) != 0 ||
	    (node->op == NODE_REM && type_is_signed(node->type)))
		return place;
	place = *a;
	place.base = id;
	place.literal = 0;
	place.zeros = zeros_of(a);
	place.is_narrow = place.is_masked = a->step != 0;
	return place;
}

static struct place place_of(const struct places *p, uint32_t id)
{
	const struct ir_kernel *kernel = p->m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	const uint64_t *local = p->m->input->launch->local;
	struct place place = {.base = id, .is_counted = p->m->code.is_common[id]};

	switch ((enum node_op)node->op) {
	case NODE_CONST_INT:
		return (struct place){.base = IR_NONE,
		                      .is_counted = true,
		                      .literal = (int64_t)node->imm,
		                      .zeros = ALL_ZERO};
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
		place.is_counted = true;
		place.step = node->aux == p->lanes;
		if (node->aux == p->lanes)
			place.zeros = node->op == NODE_LOCAL_ID ? ALL_ZERO
			                                        : trailing_zeros(local[p->lanes]);
		return place;
	case NODE_CONVERT:
		if (!type_is_integer(node->type) ||
		    !type_is_integer(kernel->nodes[kernel->operands[node->first_operand]].type) ||
		    scalar_bytes((enum scalar)node->type.scalar) < WORD_BYTES)
			return place;
		if (scalar_bytes((enum scalar)node->type.scalar) < 8) {
			place = *operand_place(p, node, 0);
			place.is_narrow = place.step != 0;
			return place;
		}
		return widened(kernel, kernel->operands[node->first_operand],
		               operand_place(p, node, 0));
	case NODE_ADD:
	case NODE_SUB:
		return sum_of(p, id, node);
	case NODE_MUL:
		return product_of(p, id, node);
	case NODE_SHL:
		return shifted_of(p, id, node);
	case NODE_AND:
	case NODE_REM:
		return masked_of(p, id, node);
	default:
		return place;
	}
}

/* Where an access begins, in bytes. */
static struct place access_place(const struct places *p, uint32_t access)
{
	const struct ir_kernel *kernel = p->m->input->kernel;
	const struct ir_access *a = &kernel->accesses[access];
	struct place place = {.base = IR_NONE, .is_counted = true};

	if (a->index != IR_NONE)
		place = widened(kernel, a->index, &p->of_node[a->index]);
	place.step = (int64_t)((uint64_t)place.step * a->scale_bytes);
	place.literal =
	        (int64_t)((uint64_t)place.literal * a->scale_bytes + (uint64_t)a->offset_bytes);
	return place;
}

/* Whether an access may be one of a group at all, by itself; and how many elements a step has. */
static unsigned factor_of(const struct places *p, uint32_t access, const struct place *place)
{
	const struct machine *m = p->m;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_access *a = &kernel->accesses[access];
	uint32_t block = kernel->summary->access_block[access];
	uint64_t bytes = type_bytes(a->type), step = (uint64_t)place->step;

	if (place->step < 0)
		step = 0 - step;
	if (a->kind == ACCESS_ATOMIC || block >= kernel->block_count || a->type.width > 1 ||
	    kernel->objects[a->object].space > SPACE_CONSTANT || m->code.is_gathered[access] ||
	    m->code.is_masked[access] || block_mode(m, block) != OP_MODE_VECTOR)
		return 0;
	if (!place->is_counted || step <= bytes || step % bytes != 0 ||
	    step / bytes > LLVM_INTERLEAVED_MAX)
		return 0;
	return (unsigned)(step / bytes);
}

static int64_t floor_of(int64_t value, int64_t by)
{
	return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/* How many of a step's elements are accessed in the same way as one of them. */
static unsigned members_of(const struct ir_kernel *kernel, const struct place *places,
                           const uint8_t *factor, uint32_t access)
{
	const struct ir_access *a = &kernel->accesses[access];
	int64_t bytes = type_bytes(a->type), step = llabs(places[access].step), first = 0;
	uint32_t block = kernel->summary->access_block[access];
	uint32_t begin = access > NEIGHBOURS / 2 ? access - NEIGHBOURS / 2 : 0;
	unsigned members = 0;
	uint8_t found = 0;

	for (unsigned turn = 0; turn < 2; turn++)
		for (uint32_t i = begin; i < kernel->access_count && i - begin < NEIGHBOURS; i++) {
			const struct ir_access *b = &kernel->accesses[i];
			int64_t apart = joined(NODE_SUB, places[i].literal, places[access].literal);

			if (factor[i] != factor[access] || b->object != a->object ||
			    b->kind != a->kind || places[i].base != places[access].base ||
			    kernel->summary->access_block[i] != block ||
			    places[i].step != places[access].step || type_bytes(b->type) != bytes ||
			    apart > APART_MAX || apart < -APART_MAX || apart % bytes != 0)
				continue;
			if (turn == 0)
				first = apart < first ? apart : first;
			else if (floor_of(apart - first, step) == floor_of(-first, step))
				found |= (uint8_t)(1u << ((apart - first) % step / bytes));
		}
	for (; found != 0; found &= (uint8_t)(found - 1))
		members++;
	return members;
}

/* Whether a position is an int shifted left, of which LLVM knows that no signed value wraps. */
static bool is_doubled(const struct ir_kernel *kernel, const struct place *place, uint32_t access,
                       unsigned factor)
{
	return !place->is_masked && (factor & (factor - 1)) == 0 &&
	       type_is_signed(kernel->nodes[kernel->accesses[access].index].type);
}

enum status cpu_groups(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct places p = {.m = m, .lanes = launch_row(m->input->launch)};
	struct place *places = calloc((size_t)kernel->access_count + 1, sizeof(*places));
	uint8_t *factor = calloc((size_t)kernel->access_count + 1, sizeof(*factor));
	enum status status = STATUS_OK;

	p.of_node = calloc((size_t)kernel->node_count + 1, sizeof(*p.of_node));
	m->code.groups = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.groups));
	if (places == NULL || factor == NULL || p.of_node == NULL || m->code.groups == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for groups of accesses",
		                   kernel->name);
		goto out;
	}
	if (!mechanism(MECHANISM_INTERLEAVED))
		goto out;
	for (uint32_t id = 0; id < kernel->node_count; id++) /* operands come before their users */
		p.of_node[id] = place_of(&p, id);
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		places[i] = access_place(&p, i);
		factor[i] = (uint8_t)factor_of(&p, i, &places[i]);
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		unsigned members;

		if (factor[i] == 0)
			continue;
		members = members_of(kernel, places, factor, i);
		if (members == factor[i] ||
		    (kernel->accesses[i].kind == ACCESS_LOAD &&
		     (!places[i].is_narrow || is_doubled(kernel, &places[i], i, factor[i]))))
			m->code.groups[i] = (struct access_group){.factor = factor[i],
			                                          .members = (uint8_t)members};
	}
out:
	free(places);
	free(factor);
	free(p.of_node);
	return status;
}

/* ---- the price ----------------------------------------------------------------------------- */

double group_time(const struct machine *m, uint32_t access, double vector)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct access_group *group = &m->code.groups[access];
	double bytes = type_bytes(kernel->accesses[access].type);
	double lanes = (double)LLVM_VECTOR_BYTES / m->code.widest_bytes;
	double words = (double)(LLVM_VECTOR_BYTES / WORD_BYTES);
	double whole = fmax(1, group->factor * lanes * bytes / (double)LLVM_VECTOR_BYTES);
	/* each is picked out of all that was loaded, two by two; what is stored is put together
	 * of all that belong there */
	double picks = kernel->accesses[access].kind == ACCESS_STORE
	                       ? whole * (group->factor - 1) / group->members
	                       : fmax(1, whole - 1);

	if (bytes < 2 && group->factor >= BYTES_APART)
		picks *= (double)BYTE_STEPS;
	return words / lanes *
	       fmax(whole / group->members * vector,
	            picks * device_op_time_s(m->input->device, OP_MODE_VECTOR, TYPE_CLASS_INT,
	                                     OP_CLASS_BIT));
}
