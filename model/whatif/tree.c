/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequential addressing (Harris, Optimizing Parallel Reduction in CUDA, 2007, steps 1 to 3). Where
 * partners lie 1, 2, 4 ... apart, the work-items that add are ever fewer of a warp, or their
 * elements lie in ever fewer banks. Where they lie half the group apart first, those that add are
 * the group's first, and their elements lie beside each other.
 */
#include "model/whatif/tree.h"

#include "model/passes/passes.h"

enum { VISITS_MAX = 32 };

static bool is_constant(const struct ir_kernel *kernel, uint32_t node, int64_t wanted)
{
	int64_t value;

	return kernel_constant(kernel, kernel_unconverted(kernel, node), &value) && value == wanted;
}

static bool is_lane(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[kernel_unconverted(kernel, node)];

	return n->op == NODE_LOCAL_ID && n->aux == 0;
}

/* The number of work-items of a group, or elements, that bounds the loop; 0: not known. */
static int64_t bound_of(const struct ir_kernel *kernel, const struct launch *launch, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node = kernel_unconverted(kernel, node)];
	int64_t value;

	if (n->op == NODE_LOCAL_SIZE && n->aux == 0)
		return (int64_t)launch->local[0];
	return kernel_constant(kernel, node, &value) ? value : 0;
}

/* How often each is a factor of a product. */
struct factors {
	unsigned lanes, aparts, twos, visits;
};

static bool factors_count(const struct ir_kernel *kernel, const struct tree *tree, uint32_t node,
                          struct factors *factors)
{
	const struct ir_node *n = &kernel->nodes[node = kernel_unconverted(kernel, node)];
	const uint32_t *operands = kernel_operands(kernel, node);

	if (factors->visits++ == VISITS_MAX)
		return false;
	if (node == tree->apart) {
		factors->aparts++;
		return true;
	}
	if (is_lane(kernel, node)) {
		factors->lanes++;
		return true;
	}
	if (is_constant(kernel, node, 2)) {
		factors->twos++;
		return true;
	}
	if (n->op == NODE_MUL)
		return factors_count(kernel, tree, operands[0], factors) &&
		       factors_count(kernel, tree, operands[1], factors);
	if ((n->op == NODE_SHL && is_constant(kernel, operands[1], 1)) ||
	    (n->op == NODE_ADD && operands[0] == operands[1])) {
		factors->twos++;
		return factors_count(kernel, tree, operands[0], factors);
	}
	return false;
}

static bool is_product(const struct ir_kernel *kernel, const struct tree *tree, uint32_t node,
                       unsigned lanes, unsigned aparts, unsigned twos)
{
	struct factors got = {0};

	return factors_count(kernel, tree, node, &got) && got.lanes == lanes &&
	       got.aparts == aparts && got.twos == twos;
}

/* What a subtraction of 1 adds. */
static bool is_less_one(const struct ir_kernel *kernel, uint32_t node)
{
	return is_constant(kernel, node, -1) || is_constant(kernel, node, UINT32_MAX);
}

/* lane % (2 * apart), or lane & (2 * apart - 1) */
static bool is_remainder(const struct ir_kernel *kernel, const struct tree *tree, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node = kernel_unconverted(kernel, node)];
	const uint32_t *operands = kernel_operands(kernel, node), *mask;

	if (n->op == NODE_REM)
		return is_lane(kernel, operands[0]) &&
		       is_product(kernel, tree, operands[1], 0, 1, 1);
	for (unsigned i = 0; n->op == NODE_AND && i < 2; i++) {
		uint32_t other = kernel_unconverted(kernel, operands[1 - i]);

		mask = kernel_operands(kernel, other);
		if (!is_lane(kernel, operands[i]))
			continue;
		if (kernel->nodes[other].op == NODE_SUB && is_constant(kernel, mask[1], 1))
			return is_product(kernel, tree, mask[0], 0, 1, 1);
		if (kernel->nodes[other].op == NODE_ADD)
			return (is_less_one(kernel, mask[1]) &&
			        is_product(kernel, tree, mask[0], 0, 1, 1)) ||
			       (is_less_one(kernel, mask[0]) &&
			        is_product(kernel, tree, mask[1], 0, 1, 1));
	}
	return false;
}

/* Whether those add whose number is a multiple of twice the distance. */
static bool is_of_multiples(const struct ir_kernel *kernel, const struct tree *tree, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);

	if (n->op == NODE_LNOT)
		return is_remainder(kernel, tree, operands[0]);
	return n->op == NODE_EQ &&
	       ((is_constant(kernel, operands[1], 0) && is_remainder(kernel, tree, operands[0])) ||
	        (is_constant(kernel, operands[0], 0) && is_remainder(kernel, tree, operands[1])));
}

/* Of what the order makes no difference but by rounding. */
static bool is_commutative(uint8_t op)
{
	return op == NODE_ADD || op == NODE_MUL || op == NODE_AND || op == NODE_OR ||
	       op == NODE_XOR || op == NODE_MIN || op == NODE_MAX;
}

static bool is_sum(const struct ir_kernel *kernel, const struct tree *tree, uint32_t near,
                   uint32_t far)
{
	const uint32_t value = kernel->accesses[tree->store].value;
	const uint32_t *operands = kernel_operands(kernel, value);
	const uint32_t one = kernel->accesses[near].result, other = kernel->accesses[far].result;

	return is_commutative(kernel->nodes[value].op) && kernel->nodes[value].operand_count == 2 &&
	       ((operands[0] == one && operands[1] == other) ||
	        (operands[0] == other && operands[1] == one));
}

/* Whether an access lies the distance behind the store. */
static bool is_partner(const struct ir_kernel *kernel, const struct tree *tree, uint32_t access)
{
	uint32_t index = kernel->accesses[access].index;
	uint32_t near = kernel_unconverted(kernel, kernel->accesses[tree->store].index);
	const uint32_t *operands;

	if (index == IR_NONE)
		return false;
	index = kernel_unconverted(kernel, index);
	operands = kernel_operands(kernel, index);
	if (kernel->nodes[index].op != NODE_ADD)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (kernel_unconverted(kernel, operands[i]) == tree->apart &&
		    kernel_unconverted(kernel, operands[1 - i]) == near)
			return true;
	return false;
}

/* What those that add do: two loads, and a store of their sum. */
static bool find_sum(const struct ir_kernel *kernel, struct tree *tree)
{
	uint32_t body = kernel->statements[tree->branch].body, loads[2], load_count = 0;
	uint32_t condition = kernel->statements[tree->branch].condition, near;
	const struct ir_access *store;

	tree->store = IR_NONE;
	for (uint32_t id = kernel->blocks[body].first; id != IR_NONE;
	     id = kernel->statements[id].following) {
		uint32_t access = kernel->statements[id].access;

		if (kernel->statements[id].kind != STATEMENT_ACCESS || tree->store != IR_NONE)
			return false;
		if (kernel->accesses[access].kind == ACCESS_STORE)
			tree->store = access;
		else if (kernel->accesses[access].kind == ACCESS_LOAD && load_count < 2)
			loads[load_count++] = access;
		else
			return false;
	}
	if (tree->store == IR_NONE || load_count != 2)
		return false;
	store = &kernel->accesses[tree->store];
	tree->object = store->object;
	if (kernel->objects[tree->object].space != SPACE_LOCAL || store->index == IR_NONE)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_access *load = &kernel->accesses[loads[i]];

		if (load->object != store->object || load->scale_bytes != store->scale_bytes ||
		    load->offset_bytes != store->offset_bytes)
			return false;
	}
	tree->far = is_partner(kernel, tree, loads[0]) ? loads[0] : loads[1];
	near = tree->far == loads[0] ? loads[1] : loads[0];
	if (!is_partner(kernel, tree, tree->far) || kernel->accesses[near].index != store->index ||
	    !is_sum(kernel, tree, near, tree->far))
		return false;
	/* each number of a multiple adds at its place; or the first of them at multiples */
	return (is_product(kernel, tree, store->index, 1, 0, 0) &&
	        is_of_multiples(kernel, tree, condition)) ||
	       is_product(kernel, tree, store->index, 1, 1, 1);
}

/* The only branch among a loop's barriers. */
static uint32_t branch_of(const struct ir_kernel *kernel, uint32_t loop)
{
	uint32_t branch = IR_NONE;

	for (uint32_t id = kernel->blocks[kernel->statements[loop].body].first; id != IR_NONE;
	     id = kernel->statements[id].following) {
		const struct ir_statement *s = &kernel->statements[id];

		if (s->kind == STATEMENT_BARRIER)
			continue;
		if (s->kind != STATEMENT_BRANCH || branch != IR_NONE || s->otherwise != IR_NONE)
			return IR_NONE;
		branch = id;
	}
	return branch;
}

/* Whether the array is read at one place but in the tree, and written at each work-item's own. */
static bool is_read_at_one_place(const struct ir_kernel *kernel, const struct tree *tree)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		uint32_t block = kernel->summary->access_block[i];
		int64_t unused;

		if (access->object != tree->object ||
		    (block != IR_NONE && kernel_is_within(kernel, block, tree->branch)))
			continue;
		if (access->kind == ACCESS_STORE
		            ? access->index == IR_NONE || !is_lane(kernel, access->index)
		            : access->kind != ACCESS_LOAD ||
		                      (access->index != IR_NONE &&
		                       !kernel_constant(kernel, access->index, &unused)))
			return false;
	}
	return true;
}

/* Whether the loop's one variable goes 1, 2, 4 ... to the number of the group's work-items. */
static bool find_distance(const struct ir_kernel *kernel, const struct launch *launch,
                          const struct ir_statement *loop, struct tree *tree)
{
	const struct ir_variable *variable = &kernel->variables[loop->first_variable];
	const struct ir_node *condition;
	const uint32_t *operands;

	if (loop->variable_count != 1 || loop->condition == IR_NONE || loop->tests_last ||
	    variable->next == IR_NONE || launch->local[0] < 2 || launch->local[1] != 1 ||
	    launch->local[2] != 1 || (launch->local[0] & (launch->local[0] - 1)) != 0)
		return false;
	tree->items = (int64_t)launch->local[0];
	tree->apart = variable->node;
	condition = &kernel->nodes[loop->condition];
	operands = kernel_operands(kernel, loop->condition);
	return type_is_integer(kernel->nodes[tree->apart].type) &&
	       is_constant(kernel, variable->init, 1) &&
	       is_product(kernel, tree, variable->next, 0, 1, 1) && condition->op == NODE_LT &&
	       kernel_unconverted(kernel, operands[0]) == tree->apart &&
	       bound_of(kernel, launch, operands[1]) == tree->items;
}

bool tree_find(const struct ir_kernel *kernel, const struct launch *launch, uint32_t loop,
               struct tree *tree)
{
	struct tree found = {0};

	if (!find_distance(kernel, launch, &kernel->statements[loop], &found))
		return false;
	found.branch = branch_of(kernel, loop);
	if (found.branch == IR_NONE || !find_sum(kernel, &found) ||
	    !is_read_at_one_place(kernel, &found))
		return false;
	found.lane = IR_NONE;
	for (uint32_t i = 0; i < kernel->node_count && found.lane == IR_NONE; i++)
		if (kernel->nodes[i].op == NODE_LOCAL_ID && kernel->nodes[i].aux == 0)
			found.lane = i;
	if (found.lane == IR_NONE)
		return false;
	*tree = found;
	return true;
}

/* ---- what stands in its place --------------------------------------------------------------- */

static struct type type_of_apart(const struct several_state *s)
{
	return s->from->nodes[s->tree->apart].type;
}

static uint32_t apart_of(const struct several_state *s)
{
	return s->made[s->tree->apart];
}

static uint32_t lane_of(struct several_state *s)
{
	uint32_t lane = kernel_node(s->to, NODE_LOCAL_ID, s->from->nodes[s->tree->lane].type, NULL,
	                            0, 0, 0);

	return kernel_unary(s->to, NODE_CONVERT, type_of_apart(s), lane);
}

uint32_t tree_index(struct several_state *s, const struct ir_access *access, uint32_t index)
{
	const struct ir_access *far = &s->from->accesses[s->tree->far];
	const struct ir_access *store = &s->from->accesses[s->tree->store];
	uint32_t near = lane_of(s);

	if (access->object != s->tree->object || access->index == IR_NONE ||
	    (access->index != far->index && access->index != store->index))
		return index;
	return access->index == far->index
	               ? kernel_binary(s->to, NODE_ADD, type_of_apart(s), near, apart_of(s))
	               : near;
}

uint32_t tree_init(struct several_state *s)
{
	return kernel_integer(s->to, type_of_apart(s), s->tree->items / 2);
}

uint32_t tree_next(struct several_state *s)
{
	return kernel_binary(s->to, NODE_DIV, type_of_apart(s), apart_of(s),
	                     kernel_integer(s->to, type_of_apart(s), 2));
}

uint32_t tree_goes_on(struct several_state *s)
{
	return kernel_binary(s->to, NODE_LT, type_scalar(SCALAR_INT),
	                     kernel_integer(s->to, type_of_apart(s), 0), apart_of(s));
}

uint32_t tree_adds(struct several_state *s)
{
	return kernel_binary(s->to, NODE_LT, type_scalar(SCALAR_INT), lane_of(s), apart_of(s));
}
