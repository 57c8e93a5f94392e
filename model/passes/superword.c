/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Superword packing of a vector that is put together component by component: where components are
 * reckoned alike from components of other vectors, LLVM makes one operation of vectors of them
 * (LLVM: SLPVectorizer.cpp, from its insertions up; Rosen, Nuzman, Zaks, GCC Summit 2007).
 *
 *     v.x += a * w.x; v.y += a * w.y; v.z += a * w.z; v.w += a * w.w;    is    v += a * w;
 *
 * Costs are LLVM's: one for each operation and each component that is put in or taken out; a tree
 * is packed where that becomes less. Requires place and uses; fills node_lanes.
 */
#include "model/passes/pass.h"

enum {
	LANES_MIN = 2,
	LANES_MAX = 16,
	VECTOR_BYTES_MIN = 16, /* the shortest register: pairs of words stay apart */
	DEPTH_MAX = 12,
	NODES_MAX = 256
};

struct tree {
	const struct pass *pass;
	uint32_t block;
	unsigned width;
	uint32_t variables;        /* of the loop whose vector this is: the first; IR_NONE: none */
	uint32_t nodes[NODES_MAX]; /* that become parts of vectors */
	unsigned count;
};

static const struct ir_node *node_of(const struct tree *tree, uint32_t id)
{
	return &tree->pass->kernel->nodes[id];
}

static bool is_constant(const struct ir_node *node)
{
	return node->op == NODE_CONST_INT || node->op == NODE_CONST_REAL;
}

static bool is_commutative(const struct ir_node *node)
{
	return node->op == NODE_ADD || node->op == NODE_MUL || node->op == NODE_AND ||
	       node->op == NODE_OR || node->op == NODE_XOR || node->op == NODE_MIN ||
	       node->op == NODE_MAX;
}

/* What LLVM has an operation of vectors for. */
static bool has_vector_form(const struct ir_node *node)
{
	switch ((enum node_op)node->op) {
	case NODE_SHL:
	case NODE_SHR:
	case NODE_NEG:
	case NODE_FMA:
	case NODE_MIN:
	case NODE_MAX:
		return true;
	case NODE_DIV:
		return type_is_real(node->type);
	case NODE_CALL:
		return node->aux == BUILTIN_SQRT;
	default:
		return node_op_is_modular((enum node_op)node->op);
	}
}

static bool is_alike(const struct ir_node *a, const struct ir_node *b)
{
	return a->op == b->op && a->aux == b->aux && a->type.scalar == b->type.scalar &&
	       a->type.width == b->type.width && a->operand_count == b->operand_count;
}

static bool add_nodes(struct tree *tree, const uint32_t *lanes)
{
	if (tree->count + tree->width > NODES_MAX)
		return false;
	for (unsigned i = 0; i < tree->width; i++)
		tree->nodes[tree->count++] = lanes[i];
	return true;
}

/* Components of one vector, in its order or in another one; *cost: what that takes. */
static bool is_taken_out(const struct tree *tree, const uint32_t *lanes, int *cost)
{
	uint32_t from = IR_NONE;

	*cost = 0;
	for (unsigned i = 0; i < tree->width; i++) {
		const struct ir_node *node = node_of(tree, lanes[i]);

		if (node->op != NODE_SWIZZLE || node->type.width > 1)
			return false;
		if (i == 0)
			from = pass_operand(tree->pass, lanes[i], 0);
		if (pass_operand(tree->pass, lanes[i], 0) != from)
			return false;
		if ((node->imm & 15) != i || node_of(tree, from)->type.width != tree->width)
			*cost = 1;
	}
	return true;
}

static bool is_packable(const struct tree *tree, const uint32_t *lanes)
{
	const struct ir_node *first = node_of(tree, lanes[0]);

	for (unsigned i = 0; i < tree->width; i++) {
		if (!is_alike(first, node_of(tree, lanes[i])) || tree->pass->uses[lanes[i]] != 1 ||
		    tree->pass->summary->node_block[lanes[i]] != tree->block)
			return false;
		for (unsigned k = 0; k < i; k++)
			if (lanes[k] == lanes[i])
				return false;
	}
	return first->type.width == 1 && has_vector_form(first);
}

/* The operands in one place of all lanes; of two that may change places, those like the first's. */
static void gather_operands(const struct tree *tree, const uint32_t *lanes, unsigned place,
                            uint32_t *operands)
{
	const struct ir_node *first = node_of(tree, lanes[0]);

	for (unsigned i = 0; i < tree->width; i++) {
		unsigned at = place;

		if (is_commutative(first) && first->operand_count == 2) {
			uint32_t like = tree->pass->kernel->operands[first->first_operand];
			uint32_t own = pass_operand(tree->pass, lanes[i], 0);
			uint32_t other = pass_operand(tree->pass, lanes[i], 1);

			if (own != like && (other == like ||
			                    (!is_alike(node_of(tree, own), node_of(tree, like)) &&
			                     is_alike(node_of(tree, other), node_of(tree, like)))))
				at = 1 - place;
		}
		operands[i] = pass_operand(tree->pass, lanes[i], at);
	}
}

/* The first of variables that one loop has for the components of a vector; IR_NONE: there are none.
 */
static uint32_t variables_of(const struct tree *tree, const uint32_t *lanes)
{
	const struct ir_kernel *kernel = tree->pass->kernel;
	uint32_t first;

	if (node_of(tree, lanes[0])->op != NODE_LOOP_VAR)
		return IR_NONE;
	first = (uint32_t)(kernel_variable(kernel, lanes[0]) - kernel->variables);
	for (unsigned i = 0; i < tree->width; i++)
		if (first + i >= kernel->variable_count ||
		    kernel->variables[first + i].node != lanes[i] ||
		    node_of(tree, lanes[i])->aux != node_of(tree, lanes[0])->aux ||
		    node_of(tree, lanes[i])->type.width > 1)
			return IR_NONE;
	return first;
}

/* Whether lanes are a vector that a loop keeps whole. */
static bool is_kept(const struct tree *tree, const uint32_t *lanes)
{
	uint32_t first = variables_of(tree, lanes);

	return first != IR_NONE && (first == tree->variables ||
	                            tree->pass->summary->node_lanes[lanes[0]] == tree->width);
}

/* What vectors of these lanes, and of what they are made of, cost beyond the scalars. */
static int pack_cost(struct tree *tree, const uint32_t *lanes, unsigned depth)
{
	uint32_t operands[LANES_MAX] = {0};
	unsigned same = 0, constants = 0;
	int cost;

	for (unsigned i = 0; i < tree->width; i++) {
		same += lanes[i] == lanes[0];
		constants += is_constant(node_of(tree, lanes[i]));
	}
	if (constants == tree->width)
		return 0;
	if (same == tree->width)
		return 1;
	if (is_kept(tree, lanes))
		return 0;
	if (is_taken_out(tree, lanes, &cost) && add_nodes(tree, lanes))
		return cost;
	if (depth == DEPTH_MAX || !is_packable(tree, lanes) || !add_nodes(tree, lanes))
		return (int)(tree->width - constants);
	cost = 1 - (int)tree->width;
	for (unsigned k = 0; k < node_of(tree, lanes[0])->operand_count; k++) {
		gather_operands(tree, lanes, k, operands);
		cost += pack_cost(tree, operands, depth + 1);
	}
	return cost;
}

/* Marks what is needed as a whole vector. */
static void mark_whole(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		pass->marks[id] = false;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];

		for (unsigned i = 0; pass->live[id] && i < node->operand_count; i++)
			if (node->op != NODE_SWIZZLE && !(node->op == NODE_INSERT && i == 0))
				pass->marks[pass_operand(pass, id, i)] = true;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].value != IR_NONE)
			pass->marks[kernel->accesses[i].value] = true;
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		if (kernel->variables[i].next != IR_NONE)
			pass->marks[kernel->variables[i].next] = true;
}

/* The components that a vector is put together from; false where one is another vector's. */
static bool find_lanes(struct tree *tree, uint32_t id, uint32_t *lanes)
{
	unsigned missing = tree->width;

	if (node_of(tree, id)->op == NODE_VECTOR) {
		if (node_of(tree, id)->operand_count != tree->width)
			return false;
		for (unsigned i = 0; i < tree->width; i++) {
			lanes[i] = pass_operand(tree->pass, id, i);
			if (node_of(tree, lanes[i])->type.width > 1)
				return false;
		}
		tree->nodes[tree->count++] = id;
		return true;
	}
	for (unsigned i = 0; i < tree->width; i++)
		lanes[i] = IR_NONE;
	while (node_of(tree, id)->op == NODE_INSERT && tree->count < NODES_MAX) {
		uint64_t at = node_of(tree, id)->imm;

		if (at >= tree->width ||
		    node_of(tree, pass_operand(tree->pass, id, 1))->type.width > 1)
			return false;
		missing -= lanes[at] == IR_NONE;
		if (lanes[at] == IR_NONE)
			lanes[at] = pass_operand(tree->pass, id, 1);
		tree->nodes[tree->count++] = id;
		id = pass_operand(tree->pass, id, 0);
	}
	return missing == 0;
}

static void take_out(struct pass *pass, uint32_t node)
{
	if (node != IR_NONE && pass->kernel->nodes[node].op == NODE_SWIZZLE)
		pass->summary->node_lanes[node] = 0;
}

/* A component that something else needs as well is taken out all the same. */
static void unmark_taken(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		for (unsigned i = 0; pass->live[id] && i < kernel->nodes[id].operand_count; i++)
			if (pass->summary->node_lanes[id] == 0)
				take_out(pass, pass_operand(pass, id, i));
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		take_out(pass, kernel->accesses[i].value);
		take_out(pass, kernel->accesses[i].index);
	}
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		if (pass->summary->node_lanes[kernel->variables[i].node] == 0) {
			take_out(pass, kernel->variables[i].init);
			take_out(pass, kernel->variables[i].next);
		}
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		take_out(pass, kernel->statements[s].condition);
}

static bool has_register(const struct ir_node *node)
{
	unsigned width = node->type.width;

	return width >= LANES_MIN && width <= LANES_MAX && (width & (width - 1)) == 0 &&
	       type_bytes(node->type) >= VECTOR_BYTES_MIN;
}

static void mark(const struct tree *tree)
{
	for (unsigned i = 0; i < tree->count; i++)
		tree->pass->summary->node_lanes[tree->nodes[i]] = (uint8_t)tree->width;
}

/* A vector that a loop changes has a variable for each component: it stays whole as well. */
static void pack_variables(struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct tree tree = {.pass = pass, .width = kernel->nodes[id].type.width};
	uint32_t lanes[LANES_MAX] = {0}, init[LANES_MAX] = {0}, next[LANES_MAX] = {0};
	int cost;

	if (kernel->nodes[id].operand_count != tree.width)
		return;
	for (unsigned i = 0; i < tree.width; i++)
		lanes[i] = pass_operand(pass, id, i);
	tree.variables = variables_of(&tree, lanes);
	if (tree.variables == IR_NONE || pass->summary->node_lanes[lanes[0]] != 0)
		return;
	for (unsigned i = 0; i < tree.width; i++) {
		init[i] = kernel->variables[tree.variables + i].init;
		next[i] = kernel->variables[tree.variables + i].next;
		/* needed by its own next value, and as a part of the whole */
		if (init[i] == IR_NONE || next[i] == IR_NONE || !pass->live[next[i]] ||
		    pass->uses[lanes[i]] > 1U + pass->live[id])
			return;
	}
	tree.block = pass->summary->node_block[next[0]];
	/* worth it by itself: what changes places within it goes out and in */
	if (tree.block == IR_NONE || !add_nodes(&tree, lanes) || pack_cost(&tree, next, 0) >= 0)
		return;
	/* another vector's components, as they are, need not come out to begin with */
	if (is_taken_out(&tree, init, &cost) && cost == 0)
		(void)add_nodes(&tree, init);
	mark(&tree);
}

void pass_pack(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (kernel->nodes[id].op == NODE_VECTOR && has_register(&kernel->nodes[id]))
			pack_variables(pass, id);
	mark_whole(pass);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		struct tree tree = {.pass = pass,
		                    .block = pass->summary->node_block[id],
		                    .width = node->type.width,
		                    .variables = IR_NONE};
		uint32_t lanes[LANES_MAX] = {0};

		if (pass->live[id] && pass->marks[id] && tree.block != IR_NONE &&
		    (node->op == NODE_VECTOR || node->op == NODE_INSERT) && has_register(node) &&
		    find_lanes(&tree, id, lanes) && pack_cost(&tree, lanes, 0) < (int)tree.width)
			mark(&tree);
	}
	unmark_taken(pass);
}
