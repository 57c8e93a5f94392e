/* SPDX-License-Identifier: Apache-2.0 */
/* The passes over a sealed kernel, in order, and what they share. */
#include "model/passes/passes.h"

#include <assert.h>
#include <stdlib.h>

#include "model/mechanisms.h"
#include "model/passes/pass.h"

/* X(field, of what there is one element each) - every array of a summary. */
#define SUMMARY_TABLE(X)                                                                           \
	X(node_block, NODES)                                                                       \
	X(node_is_address, NODES)                                                                  \
	X(node_is_integer_known, NODES)                                                            \
	X(node_is_uniform, NODES)                                                                  \
	X(access_block, ACCESSES)                                                                  \
	X(access_is_folded, ACCESSES)                                                              \
	X(access_is_fixed, ACCESSES)                                                               \
	X(access_is_fixed_early, ACCESSES)                                                         \
	X(access_is_used, ACCESSES)                                                                \
	X(branch_is_fixed, STATEMENTS)                                                             \
	X(emitted, BLOCKS)                                                                         \
	X(rolled, BLOCKS)                                                                          \
	X(fused, BLOCKS)                                                                           \
	X(node_is_fused, NODES)                                                                    \
	X(node_is_contracted, NODES)                                                               \
	X(node_rotation, NODES)                                                                    \
	X(node_lanes, NODES)                                                                       \
	X(node_is_bypassed, NODES)                                                                 \
	X(node_is_wide, NODES)                                                                     \
	X(node_is_word, NODES)                                                                     \
	X(block_depth, BLOCKS)                                                                     \
	X(block_loop, BLOCKS)                                                                      \
	X(loop_depth, BLOCKS)                                                                      \
	X(block_obstacle, BLOCKS)                                                                  \
	X(block_region, BLOCKS)                                                                    \
	X(loops, LOOPS)

enum { OF_NODES, OF_ACCESSES, OF_STATEMENTS, OF_BLOCKS, OF_LOOPS, OF_COUNT };

static void summary_free(struct ir_summary *summary)
{
	if (summary == NULL)
		return;
#define X(field, of) free(summary->field);
	SUMMARY_TABLE(X)
#undef X
	free(summary);
}

static struct ir_summary *summary_new(const struct ir_kernel *kernel)
{
	struct ir_summary *summary = calloc(1, sizeof *summary);
	if (summary == NULL)
		return NULL;
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_LOOP)
			summary->loop_count++;
	/* one more than there are, so that none is empty */
	const size_t counts[OF_COUNT] = {
	        [OF_NODES] = (size_t)kernel->node_count + 1,
	        [OF_ACCESSES] = (size_t)kernel->access_count + 1,
	        [OF_STATEMENTS] = (size_t)kernel->statement_count + 1,
	        [OF_BLOCKS] = kernel->block_count,
	        [OF_LOOPS] = (size_t)summary->loop_count + 1,
	};
	bool is_there = true;
#define X(field, of)                                                                               \
	summary->field = calloc(counts[OF_##of], sizeof *summary->field);                          \
	is_there = is_there && summary->field != NULL;
	SUMMARY_TABLE(X)
#undef X
	if (is_there)
		return summary;
	summary_free(summary);
	return NULL;
}

static void pass_deinit(struct pass *pass)
{
	free(pass->order);
	free(pass->position);
	free(pass->block_order);
	free(pass->block_enter);
	free(pass->block_leave);
	free(pass->block_loop);
	free(pass->block_loops);
	free(pass->loop_index);
	free(pass->block_barrier);
	free(pass->block_size);
	free(pass->live);
	free(pass->early);
	free(pass->affine_loop);
	free(pass->uses);
	free(pass->first_use);
	free(pass->quotient_of);
	free(pass->marks);
	free(pass->is_fixed);
	free(pass->is_induction);
	free(pass->is_own);
}

/* False when memory is short; what was allocated is pass_deinit's. */
static bool pass_init(struct pass *pass)
{
	size_t nodes = (size_t)pass->kernel->node_count + 1;
	size_t statements = (size_t)pass->kernel->statement_count + 1;
	size_t blocks = (size_t)pass->kernel->block_count + 1;
	pass->order = calloc(statements, sizeof *pass->order);
	pass->position = calloc(statements, sizeof *pass->position);
	pass->block_order = calloc(blocks, sizeof *pass->block_order);
	pass->block_enter = calloc(blocks, sizeof *pass->block_enter);
	pass->block_leave = calloc(blocks, sizeof *pass->block_leave);
	pass->block_loop = calloc(blocks, sizeof *pass->block_loop);
	pass->block_loops = calloc(blocks, sizeof *pass->block_loops);
	pass->loop_index = calloc(statements, sizeof *pass->loop_index);
	pass->block_barrier = calloc(blocks, sizeof *pass->block_barrier);
	pass->block_size = calloc(blocks, sizeof *pass->block_size);
	pass->live = calloc(nodes, sizeof *pass->live);
	pass->early = calloc(nodes, sizeof *pass->early);
	pass->affine_loop = calloc(nodes, sizeof *pass->affine_loop);
	pass->uses = calloc(nodes, sizeof *pass->uses);
	pass->first_use = calloc(nodes, sizeof *pass->first_use);
	pass->quotient_of = calloc(nodes, sizeof *pass->quotient_of);
	pass->marks = calloc(nodes, sizeof *pass->marks);
	pass->is_fixed = calloc(nodes, sizeof *pass->is_fixed);
	pass->is_induction = calloc(nodes, sizeof *pass->is_induction);
	pass->is_own = calloc((size_t)pass->kernel->object_count + 1, sizeof *pass->is_own);
	return pass->order != NULL && pass->position != NULL && pass->block_order != NULL &&
	       pass->block_enter != NULL && pass->block_leave != NULL && pass->block_loop != NULL &&
	       pass->block_loops != NULL && pass->loop_index != NULL &&
	       pass->block_barrier != NULL && pass->block_size != NULL && pass->live != NULL &&
	       pass->early != NULL && pass->affine_loop != NULL && pass->uses != NULL &&
	       pass->first_use != NULL && pass->quotient_of != NULL && pass->marks != NULL &&
	       pass->is_fixed != NULL && pass->is_induction != NULL && pass->is_own != NULL;
}

bool pass_integer(const struct pass *pass, uint32_t node, uint64_t *value)
{
	const struct ir_node *n = &pass->kernel->nodes[node];
	if (n->op == NODE_SPLAT)
		n = &pass->kernel->nodes[pass_operand(pass, node, 0)];
	if (n->op != NODE_CONST_INT)
		return false;
	*value = n->imm;
	return true;
}

/* ---- tree ---------------------------------------------------------------------------------- */

struct walk {
	uint32_t statements, blocks, clock;
};

/* Visits a block and those below it; the check bounds the depth. */
static void visit_block(struct pass *pass, struct walk *walk, uint32_t block, uint32_t depth,
                        uint32_t loop)
{
	const struct ir_kernel *kernel = pass->kernel;
	pass->block_order[walk->blocks++] = block;
	pass->block_enter[block] = walk->clock++;
	pass->block_loop[block] = loop;
	pass->summary->block_depth[block] = depth;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		bool is_loop = statement->kind == STATEMENT_LOOP;
		pass->position[s] = walk->statements;
		pass->order[walk->statements++] = s;
		if (statement->kind == STATEMENT_BARRIER)
			pass->block_barrier[block] = true;
		for (unsigned side = 0; side < 2; side++) {
			uint32_t below = side == 0 ? statement->body : statement->otherwise;
			if (below == IR_NONE)
				continue;
			pass->block_loops[below] = pass->block_loops[block] + is_loop;
			visit_block(pass, walk, below, depth + 1, is_loop ? s : loop);
			if (pass->block_barrier[below])
				pass->block_barrier[block] = true;
		}
	}
	pass->block_leave[block] = walk->clock++;
}

void pass_tree(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct ir_summary *summary = pass->summary;
	struct walk walk = {0};
	uint32_t loop = 0;
	for (uint32_t block = 0; block < kernel->block_count; block++)
		pass->block_loop[block] = IR_NONE;
	visit_block(pass, &walk, 0, 0, IR_NONE);
	assert(walk.statements == kernel->statement_count);
	pass->block_order_count = walk.blocks;
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		pass->loop_index[s] = IR_NONE;
		if (kernel->statements[s].kind != STATEMENT_LOOP)
			continue;
		summary->loops[loop].statement = s;
		summary->loops[loop].induction = IR_NONE;
		pass->loop_index[s] = loop++;
	}
	for (uint32_t block = 0; block < kernel->block_count; block++) {
		uint32_t around = pass->block_loop[block];

		summary->block_loop[block] = around == IR_NONE ? IR_NONE : pass->loop_index[around];
	}
	summary->has_barrier = pass->block_barrier[0];
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		if (kernel->objects[i].space == SPACE_LOCAL)
			summary->local_bytes += kernel->objects[i].size_bytes;
		else if (kernel->objects[i].space == SPACE_PRIVATE)
			summary->private_bytes += kernel->objects[i].size_bytes;
	}
}

/* ---- all of them --------------------------------------------------------------------------- */

static enum status run(struct pass *pass, struct error *error)
{
	enum status status;
	pass_tree(pass);
	status = pass_live(pass, error);
	if (status == STATUS_OK)
		status = pass_place(pass, error);
	if (status != STATUS_OK)
		return status;
	pass_uniform(pass);
	pass_address(pass);
	pass_trips(pass);
	if (mechanism(MECHANISM_ROTATION))
		pass_rotate(pass);
	pass_emit(pass, pass->summary->emitted, false);
	pass_unroll(pass);
	pass_emit(pass, pass->summary->emitted, false);
	pass_constants(pass);
	if (mechanism(MECHANISM_FUSION))
		status = pass_fuse(pass, error);
	if (status == STATUS_OK)
		status = pass_registers(pass, error);
	if (mechanism(MECHANISM_SUPERWORD))
		pass_pack(pass);
	pass_emit(pass, pass->summary->rolled, true); /* vectors are a CPU's */
	pass_early_places(pass);
	return status != STATUS_OK ? status : pass_vector(pass, error);
}

uint32_t loop_around(const struct ir_kernel *kernel, uint32_t loop)
{
	const struct ir_summary *summary = kernel->summary;

	return summary->block_loop[kernel->statements[summary->loops[loop].statement].block];
}

uint32_t rolled_loop_of(const struct ir_kernel *kernel, uint32_t block)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t loop = summary->block_loop[block];

	while (loop != IR_NONE && summary->loops[loop].is_unrolled_early)
		loop = loop_around(kernel, loop);
	return loop;
}

enum status kernel_seal(struct ir_kernel *kernel, struct error *error)
{
	enum status status = kernel_finish(kernel, error);
	if (status != STATUS_OK)
		return status;
	struct pass pass = {.kernel = kernel, .summary = summary_new(kernel)};
	if (pass.summary == NULL || !pass_init(&pass))
		status = error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory",
		                   kernel->name);
	else
		status = run(&pass, error);
	pass_deinit(&pass);
	if (status != STATUS_OK) {
		summary_free(pass.summary);
		return status;
	}
	summary_free(kernel->summary);
	kernel->summary = pass.summary;
	kernel->summary_free = summary_free;
	return STATUS_OK;
}

enum status kernel_count_nodes(const struct ir_kernel *kernel, bool is_rolled,
                               struct ir_node_counts **counts, struct error *error)
{
	struct pass pass = {
	        .kernel = kernel,
	        .summary = summary_new(kernel),
	        .node_counts = calloc((size_t)kernel->node_count + 1, sizeof *pass.node_counts),
	        .is_node_early = is_rolled};
	enum status status = STATUS_NO_MEMORY;
	if (pass.summary == NULL || pass.node_counts == NULL || !pass_init(&pass))
		(void)error_set(error, status, "kernel %s: out of memory", kernel->name);
	else
		status = run(&pass, error);
	pass_deinit(&pass);
	summary_free(pass.summary);
	if (status == STATUS_OK)
		*counts = pass.node_counts;
	else
		free(pass.node_counts);
	return status;
}

const char *vector_obstacle_text(enum vector_obstacle obstacle)
{
	static const char *const texts[VECTOR_OBSTACLE_COUNT] = {
	        [VECTOR_OK] = "none",
	        [VECTOR_LOOP] = "a loop that is not unrolled",
	        [VECTOR_DIVISION] = "an integer division by a variable, or of 64 bits",
	        [VECTOR_CALL] = "a built-in function without a vector form",
	        [VECTOR_TYPE] = "a vector type",
	        [VECTOR_ATOMIC] = "an atomic",
	};
	return (unsigned)obstacle < VECTOR_OBSTACLE_COUNT ? texts[obstacle] : "unknown";
}
