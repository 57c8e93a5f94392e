/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of a work-item that LLVM packs before PoCL puts work-items in a loop: a vector of its
 * own keeps that loop from being vectorised.
 *
 * LLVM's packing of straight-line code (Rosen, Nuzman, Zaks, GCC Summit 2007; LLVM's
 * SLPVectorizer.cpp) begins where like operations stand side by side, goes up to their operands as
 * long as these are alike, and weighs what it saves against the elements that it has to put in and
 * take out. Seen in the code that PoCL 3.1 emits (LLVM 15; tests/accuracy/README.md says how to
 * look):
 *
 * - Places of one array that differ by more than a constant, four of them: worth it where each
 *   goes through a min or max; not for sums and products alone.
 * - What is stored side by side, as numbers that are reckoned alike: from 32 bits on.
 * - Sums of whole numbers, four like terms of which are each reckoned from something else.
 * - Chains of fmin and fmax, two of them: worth it where both alternate over three steps, as in
 *   networks that sort. What begins is a comparison, and those of a chain of one kind are mistaken
 * for each other.
 */
#include "model/codegen/pocl/superword_chains.h"
#include "model/codegen/pocl/llvm.h"

#include <string.h>

#include "model/passes/passes.h"

enum {
	PLACES = 4,
	CHAINS = 2,
	LANES_MAX = 16,
	STORED_BYTES_MIN = 4, /* of a vector that is stored, and at the most */
	STORED_BYTES_MAX = 32,
	BUNDLES_MAX = 32, /* of lanes that are looked at: what exceeds this is put in */
	TERMS_MAX = 32,   /* of a sum that are looked at */
	SUMS_MAX = 1024,
	MADE_DEPTH_MAX = 8,
	ROOTS_MAX = 32,
	ACCESSES_MAX = 1024, /* that are looked at: it costs their square */
	REAL_EXTREME_COST = 4
};

struct packing {
	const struct ir_kernel *kernel;
	uint32_t bundles[BUNDLES_MAX][LANES_MAX];
	unsigned bundle_count;
	bool has_fmin, has_fmax; /* in what is packed */
	bool is_stored;          /* what is packed goes to memory */
};

static const struct ir_node *node_of(const struct packing *packing, uint32_t id)
{
	return &packing->kernel->nodes[id];
}

static bool is_real_extreme(const struct ir_node *node)
{
	return node->op == NODE_CALL && node->type.width == 1 && type_is_real(node->type) &&
	       (node->aux == BUILTIN_FMIN || node->aux == BUILTIN_FMAX);
}

/* What one of them costs as a scalar; 0: it is not packed. */
static int scalar_cost(const struct ir_node *node)
{
	switch ((enum node_op)node->op) {
	case NODE_SHL:
	case NODE_SHR:
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_CONVERT:
		return node->type.width == 1;
	case NODE_MIN:
	case NODE_MAX:
		return node->type.width == 1 ? LLVM_EXTREME_COST : 0;
	default:
		if (node_op_is_modular((enum node_op)node->op))
			return node->type.width == 1;
		return is_real_extreme(node) ? REAL_EXTREME_COST : 0;
	}
}

static int vector_cost(const struct ir_node *node)
{
	if (is_real_extreme(node))
		return REAL_EXTREME_COST;
	return node->op == NODE_MUL && type_is_integer(node->type) ? 2 : 1;
}

static bool is_constant(const struct ir_node *node)
{
	return node->op == NODE_CONST_INT || node->op == NODE_CONST_REAL;
}

/* Sums and differences go together: of both one is taken for each lane. */
static bool is_sum(const struct ir_node *node)
{
	return node->op == NODE_ADD || node->op == NODE_SUB;
}

static bool is_alike(const struct ir_node *a, const struct ir_node *b)
{
	return (a->op == b->op || (is_sum(a) && is_sum(b))) && a->aux == b->aux &&
	       a->type.scalar == b->type.scalar && a->operand_count == b->operand_count;
}

static unsigned without_repeats(const uint32_t *lanes, unsigned count, uint32_t *distinct)
{
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = 0;

		while (k < n && distinct[k] != lanes[i])
			k++;
		if (k == n)
			distinct[n++] = lanes[i];
	}
	return n;
}

/* Whether these lanes are a vector already; else, and if there is room, they become one. */
static bool is_known(struct packing *packing, const uint32_t *lanes, unsigned count, bool *has_room)
{
	uint32_t *bundle = packing->bundles[packing->bundle_count % BUNDLES_MAX];

	for (unsigned i = 0; i < packing->bundle_count; i++)
		if (memcmp(packing->bundles[i], lanes, count * sizeof(*lanes)) == 0)
			return true;
	*has_room = packing->bundle_count < BUNDLES_MAX;
	if (*has_room) {
		memcpy(bundle, lanes, count * sizeof(*lanes));
		packing->bundle_count++;
	}
	return false;
}

/* An integer of fewer bits than what it is made of. */
static bool is_narrowed(const struct ir_kernel *kernel, const struct ir_node *node)
{
	const struct ir_node *from = &kernel->nodes[kernel->operands[node->first_operand]];

	return node->op == NODE_CONVERT && type_is_integer(node->type) &&
	       type_is_integer(from->type) &&
	       scalar_bytes((enum scalar)node->type.scalar) <
	               scalar_bytes((enum scalar)from->type.scalar);
}

/* The same, of what is reckoned in those bits alone where no more is needed (InstCombine). */
static bool is_reckoned_narrow(const struct ir_kernel *kernel, const struct ir_node *narrowed)
{
	uint32_t from = kernel->operands[narrowed->first_operand];

	return node_op_is_modular((enum node_op)kernel->nodes[from].op);
}

/* An index without the constant that is added to it; *constant: that. */
static uint32_t base_of(const struct ir_kernel *kernel, uint32_t index, int64_t *constant)
{
	*constant = 0;
	for (unsigned cast = 0; index != IR_NONE && cast < MADE_DEPTH_MAX; cast++) {
		const struct ir_node *node = &kernel->nodes[index];
		const uint32_t *operands = &kernel->operands[node->first_operand];

		if (node->op == NODE_ADD && kernel_constant(kernel, operands[1], constant))
			return operands[0];
		if (node->op != NODE_CONVERT || !type_is_integer(kernel->nodes[operands[0]].type))
			return index;
		index = operands[0];
	}
	return index;
}

/* Whether an access lies so many of its elements behind another one. */
static bool is_behind(const struct ir_kernel *kernel, const struct ir_access *a,
                      const struct ir_access *b, unsigned elements)
{
	int64_t first, second;

	if (a->object != b->object || a->kind != b->kind || a->scale_bytes != b->scale_bytes ||
	    type_bytes(a->type) != type_bytes(b->type) || a->type.width > 1 || b->type.width > 1 ||
	    base_of(kernel, a->index, &first) != base_of(kernel, b->index, &second))
		return false;
	/* modulo 2^64: literals may be any */
	return ((uint64_t)second - (uint64_t)first) * b->scale_bytes + (uint64_t)b->offset_bytes -
	               (uint64_t)a->offset_bytes ==
	       (uint64_t)elements * type_bytes(a->type);
}

/* Whether lanes were loaded side by side. */
static bool is_run(const struct packing *packing, const uint32_t *lanes, unsigned count)
{
	const struct ir_kernel *kernel = packing->kernel;

	for (unsigned i = 0; i < count; i++)
		if (node_of(packing, lanes[i])->op != NODE_LOAD ||
		    !is_behind(kernel, &kernel->accesses[node_of(packing, lanes[0])->aux],
		               &kernel->accesses[node_of(packing, lanes[i])->aux], i))
			return false;
	return true;
}

/*
 * What vectors of these lanes, and of what they are made of, cost beyond the scalars: negative,
 * where it is worth it. What else uses a node, and has it taken out, is not looked at.
 */
static int pack_cost(struct packing *packing, const uint32_t *lanes, unsigned count)
{
	uint32_t distinct[LANES_MAX] = {lanes[0]}, operands[LANES_MAX];
	unsigned n = without_repeats(lanes, count, distinct), constants = 0;
	const struct ir_node *first = node_of(packing, distinct[0]);
	int cost = 0;
	bool is_packed = n > 1 && scalar_cost(first) > 0, has_room = true;

	for (unsigned i = 0; i < n; i++) {
		constants += is_constant(node_of(packing, distinct[i]));
		is_packed &= is_alike(first, node_of(packing, distinct[i]));
	}
	if (is_packed && is_known(packing, distinct, n, &has_room))
		return 0;
	if (packing->is_stored && n > 1 && n == count && is_run(packing, distinct, n))
		return 1 - (int)n;
	if (!is_packed || !has_room)
		return (int)(n - constants);
	packing->has_fmin |= is_real_extreme(first) && first->aux == BUILTIN_FMIN;
	packing->has_fmax |= is_real_extreme(first) && first->aux == BUILTIN_FMAX;
	cost = vector_cost(first) - (int)n * scalar_cost(first) + (n < count);
	for (unsigned i = 1, others = 0; i < n && others == 0; i++)
		if (node_of(packing, distinct[i])->op != first->op)
			cost += (int)(others = 2); /* the other kind, and a choice of both */
	if (is_narrowed(packing->kernel, first))   /* as a scalar it is the same register */
		cost += (int)n -
		        (is_reckoned_narrow(packing->kernel, first) ? vector_cost(first) : 0);
	for (unsigned k = 0; k < first->operand_count; k++) {
		for (unsigned i = 0; i < n; i++) {
			const struct ir_node *node = node_of(packing, distinct[i]);

			operands[i] = packing->kernel->operands[node->first_operand + k];
		}
		cost += pack_cost(packing, operands, n);
	}
	return cost;
}

/* ---- places -------------------------------------------------------------------------------- */

/* An index without the constant that is added to it. */
static uint32_t without_constant(const struct ir_kernel *kernel, uint32_t index)
{
	const struct ir_node *node = &kernel->nodes[index];

	for (unsigned i = 0; i < 2 && node->op == NODE_ADD; i++)
		if (kernel->nodes[kernel->operands[node->first_operand + i]].op == NODE_CONST_INT)
			return kernel->operands[node->first_operand + 1 - i];
	return index;
}

static uint32_t looked_at(const struct ir_kernel *kernel)
{
	return kernel->access_count < ACCESSES_MAX ? kernel->access_count : ACCESSES_MAX;
}

static bool packs_places(const struct ir_kernel *kernel, uint32_t object, uint32_t block)
{
	struct packing packing = {.kernel = kernel};
	uint32_t lanes[PLACES], bases[PLACES];
	unsigned count = 0;
	int cost;

	for (uint32_t i = 0; i < looked_at(kernel) && count < PLACES; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		unsigned k = 0;

		if (access->object != object || access->kind != ACCESS_LOAD ||
		    access->index == IR_NONE || kernel->summary->access_block[i] != block)
			continue;
		bases[count] = without_constant(kernel, access->index);
		while (k < count && bases[k] != bases[count])
			k++;
		if (k == count)
			lanes[count++] = access->index;
	}
	if (count < PLACES)
		return false;
	cost = pack_cost(&packing, lanes, PLACES) + PLACES + 1; /* and each is taken out */
	if (scalar_bytes((enum scalar)kernel->nodes[lanes[0]].type.scalar) < 8)
		cost += 1 - PLACES; /* widened */
	return cost < 0;
}

/* ---- chains -------------------------------------------------------------------------------- */

/* Whether one is made of the other, as far as is looked. */
static bool is_made_of(const struct ir_kernel *kernel, uint32_t id, uint32_t of, unsigned depth)
{
	const struct ir_node *node = &kernel->nodes[id];

	if (id == of)
		return true;
	for (unsigned i = 0;
	     i < node->operand_count && id > of && depth < MADE_DEPTH_MAX && is_real_extreme(node);
	     i++)
		if (is_made_of(kernel, kernel->operands[node->first_operand + i], of, depth + 1))
			return true;
	return false;
}

static bool packs_pair(const struct ir_kernel *kernel, uint32_t a, uint32_t b)
{
	struct packing packing = {.kernel = kernel};
	uint32_t lanes[CHAINS] = {a, b};

	if (!is_alike(&kernel->nodes[a], &kernel->nodes[b]) || is_made_of(kernel, b, a, 0))
		return false;
	return pack_cost(&packing, lanes, CHAINS) + CHAINS < 0 && packing.has_fmin &&
	       packing.has_fmax;
}

static bool packs_chains(const struct ir_kernel *kernel)
{
	uint32_t roots[ROOTS_MAX];
	unsigned count = 0;

	for (uint32_t i = 0; i < kernel->node_count && count < ROOTS_MAX; i++) {
		uint32_t block = kernel->summary->node_block[i];

		if (block >= kernel->block_count || kernel->summary->loop_depth[block] > 0 ||
		    !is_real_extreme(&kernel->nodes[i]))
			continue;
		for (unsigned k = 0; k < count; k++)
			if (kernel->summary->node_block[roots[k]] == block &&
			    packs_pair(kernel, roots[k], i))
				return true;
		roots[count++] = i;
	}
	return false;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static bool is_whole_sum(const struct ir_kernel *kernel, uint32_t id, uint32_t block)
{
	const struct ir_node *node = &kernel->nodes[id];

	return node->op == NODE_ADD && node->type.width == 1 && type_is_integer(node->type) &&
	       kernel->summary->node_block[id] == block;
}

/* Whether four terms of a sum become a vector, whose elements are added up. */
static bool packs_terms(const struct ir_kernel *kernel, uint32_t sum)
{
	struct packing packing = {.kernel = kernel};
	uint32_t block = kernel->summary->node_block[sum], lanes[PLACES], terms[TERMS_MAX];
	unsigned waiting = 1;

	terms[0] = sum;
	for (unsigned looked = 0, count = 0; waiting > 0 && looked < TERMS_MAX; looked++) {
		uint32_t id = terms[--waiting];
		const struct ir_node *node = &kernel->nodes[id];

		if (is_whole_sum(kernel, id, block) && waiting + 2 <= TERMS_MAX) {
			terms[waiting++] = kernel->operands[node->first_operand];
			terms[waiting++] = kernel->operands[node->first_operand + 1];
			continue;
		}
		if (count > 0 && !is_alike(&kernel->nodes[lanes[0]], node))
			continue;
		lanes[count++] = id;
		if (count == PLACES)
			return pack_cost(&packing, lanes, PLACES) < 0;
	}
	return false;
}

static bool packs_sums(const struct ir_kernel *kernel)
{
	unsigned looked = 0;

	for (uint32_t i = 0; i < kernel->node_count && looked < SUMS_MAX; i++) {
		uint32_t block = kernel->summary->node_block[i];

		if (block >= kernel->block_count || kernel->summary->loop_depth[block] > 0 ||
		    !is_whole_sum(kernel, i, block))
			continue;
		if (packs_terms(kernel, i))
			return true;
		looked++;
	}
	return false;
}

/* ---- stores -------------------------------------------------------------------------------- */

/* What is stored in a block so many elements behind a store; IR_NONE: nothing. */
static uint32_t stored_behind(const struct ir_kernel *kernel, uint32_t store, unsigned elements)
{
	uint32_t block = kernel->summary->access_block[store];

	for (uint32_t i = looked_at(kernel); i-- > 0;)
		if (kernel->summary->access_block[i] == block &&
		    is_behind(kernel, &kernel->accesses[store], &kernel->accesses[i], elements))
			return kernel->accesses[i].value;
	return IR_NONE;
}

/* Whether what is stored from one place on becomes a vector, of any length. */
static bool packs_stores(const struct ir_kernel *kernel, uint32_t store)
{
	unsigned bytes = (unsigned)type_bytes(kernel->accesses[store].type), count = 1;
	uint32_t lanes[LANES_MAX] = {kernel->accesses[store].value};

	while (count < LANES_MAX && (count + 1) * bytes <= STORED_BYTES_MAX &&
	       (lanes[count] = stored_behind(kernel, store, count)) != IR_NONE)
		count++;
	for (unsigned n = CHAINS; n <= count; n *= 2) {
		struct packing packing = {.kernel = kernel, .is_stored = true};

		if (n * bytes >= STORED_BYTES_MIN && 1 - (int)n + pack_cost(&packing, lanes, n) < 0)
			return true;
	}
	return false;
}

bool cpu_packs_chains(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < looked_at(kernel); i++) {
		uint32_t object = kernel->accesses[i].object, before = 0;
		uint32_t block = kernel->summary->access_block[i];

		if (block >= kernel->block_count || kernel->summary->loop_depth[block] > 0 ||
		    kernel->objects[object].space > SPACE_CONSTANT)
			continue;
		while (before < i && (kernel->accesses[before].object != object ||
		                      kernel->summary->access_block[before] != block))
			before++;
		if (before == i && packs_places(kernel, object, block))
			return true;
		if (kernel->accesses[i].kind == ACCESS_STORE &&
		    kernel->accesses[i].type.width == 1 && packs_stores(kernel, i))
			return true;
	}
	return packs_chains(kernel) || packs_sums(kernel);
}
