/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of two iterations that a CPU's compiler has as straight code, though none is unrolled.
 *
 * Whether there is another iteration is known on either way into such a body: yes from outside, no
 * from its end. LLVM threads such a jump through a small block as long as nothing outside of it
 * needs what it computes: of what it puts in memory that holds, of sums it does not. That bodies of
 * two iterations are straight code was read off the code that PoCL 5.0 makes; which pass does it,
 * and the ten instructions, were not traced.
 */
#include "model/passes/pass.h"

enum { THREADED_SIZE = 10 };

static bool is_scaled(const struct pass *pass, uint32_t id)
{
	int64_t literal;
	return pass->kernel->nodes[id].op == NODE_MUL &&
	       kernel_constant(pass->kernel, pass_operand(pass, id, 1), &literal);
}

/* Instructions of a node, without those that are a part of an address. */
static unsigned node_size(const struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	bool is_long = type_is_integer(node->type) && type_bytes(node->type) == 8;
	if (node->op == NODE_LOAD || node->operand_count == 0)
		return 0;
	if (node->op == NODE_CONVERT)
		return type_bytes(node->type) !=
		       type_bytes(kernel->nodes[pass_operand(pass, id, 0)].type);
	if (node->op == NODE_CALL)
		return builtin_operations((enum builtin)node->aux);
	if (is_long && (is_scaled(pass, id) ||
	                (node->op == NODE_ADD && (is_scaled(pass, pass_operand(pass, id, 0)) ||
	                                          is_scaled(pass, pass_operand(pass, id, 1))))))
		return 0;
	return 1;
}

/* Whether an access before has the address already. */
static bool has_address(const struct pass *pass, uint32_t block, uint32_t access)
{
	const struct ir_access *accesses = pass->kernel->accesses;
	for (uint32_t i = 0; i < access; i++)
		if (pass->summary->access_block[i] == block &&
		    accesses[i].object == accesses[access].object &&
		    accesses[i].index == accesses[access].index)
			return true;
	return false;
}

static unsigned body_size(const struct pass *pass, const struct ir_statement *loop)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t next = kernel->variables[loop->first_variable].next;
	unsigned size = 0;
	for (uint32_t id = 0; id < kernel->node_count && size <= THREADED_SIZE; id++)
		if (pass->summary->node_block[id] == loop->body && id != loop->condition &&
		    id != next)
			size += node_size(pass, id);
	for (uint32_t i = 0; i < kernel->access_count && size <= THREADED_SIZE; i++)
		if (pass->summary->access_block[i] == loop->body && !pass_is_folded(pass, i))
			size += has_address(pass, loop->body, i) ? 1 : 2;
	return size;
}

bool pass_is_threaded(const struct pass *pass, const struct ir_loop *loop)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *statement = &kernel->statements[loop->statement];
	if (loop->trip != TRIP_CONSTANT || loop->trips != 2 || loop->has_early_exit ||
	    statement->body == IR_NONE || statement->variable_count != 1 ||
	    !pass->is_induction[kernel->variables[statement->first_variable].node])
		return false;
	for (uint32_t s = kernel->blocks[statement->body].first; s != IR_NONE;
	     s = kernel->statements[s].following)
		if (kernel->statements[s].kind != STATEMENT_ACCESS ||
		    kernel->accesses[kernel->statements[s].access].kind == ACCESS_ATOMIC)
			return false;
	return body_size(pass, statement) <= THREADED_SIZE;
}
