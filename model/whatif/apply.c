/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to a copy of the kernel, which is then sealed as any other, and to the launch. */
#include <stdlib.h>
#include <string.h>

#include "model/passes/passes.h"
#include "model/whatif/several.h"
#include "model/whatif/shape.h"
#include "model/whatif/stage.h"

/* What a change may add. */
enum {
	ROOM_NODES = 4 + 2 * STAGE_ACCESSES_MAX,
	ROOM_ACCESSES = 2 * STAGE_ACCESSES_MAX,
	ROOM_OBJECTS = STAGE_ACCESSES_MAX,
	ROOM_STATEMENTS = 4 + 3 * STAGE_ACCESSES_MAX,
	ROOM_BLOCKS = 1
};

static struct ir_kernel *copy_with_room(const struct ir_kernel *kernel)
{
	struct ir_kernel *head = malloc(sizeof(*head)), *copy;

	if (!head)
		return NULL;
	*head = *kernel;
	head->node_count += ROOM_NODES;
	head->access_count += ROOM_ACCESSES;
	head->object_count += ROOM_OBJECTS;
	head->statement_count += ROOM_STATEMENTS;
	head->block_count += ROOM_BLOCKS;
	copy = kernel_allocate(head);
	free(head);
	if (!copy)
		return NULL;
	copy->node_count = kernel->node_count;
	copy->access_count = kernel->access_count;
	copy->object_count = kernel->object_count;
	copy->statement_count = kernel->statement_count;
	copy->block_count = kernel->block_count;
#define COPY(array, count)                                                                         \
	if (kernel->count > 0)                                                                     \
	memcpy(copy->array, kernel->array, kernel->count * sizeof(*copy->array))
	COPY(arguments, argument_count);
	COPY(objects, object_count);
	COPY(nodes, node_count);
	COPY(operands, operand_count);
	COPY(accesses, access_count);
	COPY(statements, statement_count);
	COPY(variables, variable_count);
	COPY(blocks, block_count);
	COPY(written, written_count);
	COPY(files, file_count);
#undef COPY
	return copy;
}

static bool make_native(struct ir_kernel *kernel, uint32_t place)
{
	bool is_any = false;

	for (uint32_t i = 0; builtin_native(place) != BUILTIN_COUNT && i < kernel->node_count;
	     i++) {
		struct ir_node *node = &kernel->nodes[i];

		if (!node_is_native_for(kernel, i, place))
			continue;
		node->aux =
		        builtin_native(node->op == NODE_DIV ? (unsigned)BUILTIN_COUNT : node->aux);
		node->op = NODE_CALL;
		is_any = true;
	}
	return is_any;
}

static void become_constant(struct ir_node *node, int64_t value)
{
	unsigned bits = 8 * scalar_bytes((enum scalar)node->type.scalar);

	if (bits < 64 && type_is_signed(node->type))
		value = (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
	else if (bits < 64)
		value &= ((int64_t)1 << bits) - 1;
	node->op = NODE_CONST_INT;
	node->operand_count = 0;
	node->aux = 0;
	node->imm = (uint64_t)value;
}

/* As a macro has it: the compiler knows the value, and conversions of it. */
static bool make_constant(struct ir_kernel *kernel, const struct launch *launch, uint32_t argument)
{
	bool is_any = false;

	if (argument >= kernel->argument_count || argument >= launch->argument_count ||
	    kernel->arguments[argument].kind != ARGUMENT_SCALAR ||
	    !type_is_integer(kernel->arguments[argument].type) ||
	    kernel->arguments[argument].type.width != 1)
		return false;
	for (uint32_t i = 0; i < kernel->node_count; i++) {
		struct ir_node *node = &kernel->nodes[i];
		const struct ir_node *of;

		if (!type_is_integer(node->type) || node->type.width != 1 ||
		    node->type.scalar == SCALAR_BOOL)
			continue;
		if (node->op == NODE_ARG && node->aux == argument && node->imm == 0) {
			become_constant(node, launch->arguments[argument].value.integer[0]);
			is_any = true;
		} else if (node->op == NODE_CONVERT) {
			of = &kernel->nodes[kernel_operands(kernel, i)[0]];
			if (of->op == NODE_CONST_INT && of->type.width == 1)
				become_constant(node, (int64_t)of->imm);
		}
	}
	return is_any;
}

static bool unroll(struct ir_kernel *kernel, uint32_t statement, double times)
{
	if (statement >= kernel->statement_count ||
	    kernel->statements[statement].kind != STATEMENT_LOOP || !(times >= 0) || times > 64)
		return false;
	kernel->statements[statement].unroll = times < 2 ? UINT16_MAX : (uint16_t)times;
	return true;
}

static void swap(uint64_t *sizes)
{
	uint64_t first = sizes[0];

	sizes[0] = sizes[1];
	sizes[1] = first;
}

/* A group keeps its shape, so that its warps lie along the other dimension, where the kernel does
 * not see it. */
static bool exchange(struct ir_kernel *kernel, const struct ir_kernel *from, struct launch *launch)
{
	bool sees_groups = kernel->required_local[0] != 0;

	if (launch->dimensions < 2)
		return false;
	for (uint32_t i = 0; i < kernel->node_count; i++) {
		struct ir_node *node = &kernel->nodes[i];
		bool is_of_group = node->op == NODE_LOCAL_ID || node->op == NODE_GROUP_ID ||
		                   node->op == NODE_LOCAL_SIZE || node->op == NODE_NUM_GROUPS;

		sees_groups |= is_of_group && i < from->node_count &&
		               from->summary->node_block[i] != IR_NONE;
		if ((is_of_group || node->op == NODE_GLOBAL_ID || node->op == NODE_GLOBAL_SIZE ||
		     node->op == NODE_GLOBAL_OFFSET) &&
		    node->aux < 2)
			node->aux = 1 - node->aux;
	}
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		sees_groups |= kernel->statements[i].kind == STATEMENT_BARRIER;
	swap(launch->global);
	swap(launch->offset);
	if (sees_groups || launch->global[0] % launch->local[0] != 0 ||
	    launch->global[1] % launch->local[1] != 0) {
		swap(launch->local);
		uint32_t first = kernel->required_local[0];

		kernel->required_local[0] = kernel->required_local[1];
		kernel->required_local[1] = first;
	}
	return true;
}

/* By any shape: a runtime that allows uneven groups, or none, refuses what does not divide. */
static bool regroup(struct launch *launch, uint32_t shape)
{
	for (unsigned d = 0; d < 3; d++) {
		uint32_t bits = shape >> (8 * d) & 0xff;

		if (bits > 16 || launch->global[d] % ((uint64_t)1 << bits) != 0)
			return false;
		launch->local[d] = (uint64_t)1 << bits;
	}
	launch->has_local = true;
	return true;
}

static bool put_in_constant(struct ir_kernel *kernel, uint32_t object)
{
	if (object >= kernel->object_count || kernel->objects[object].space != SPACE_GLOBAL)
		return false;
	kernel->objects[object].space = SPACE_CONSTANT;
	return true;
}

/* An array in local memory has that size: of the kernel, or of the launch. */
static bool reserve(struct ir_kernel *kernel, struct launch *launch, uint32_t object, double bytes)
{
	uint32_t argument;

	if (object >= kernel->object_count || kernel->objects[object].space != SPACE_LOCAL ||
	    !(bytes >= 1) || bytes > (double)(1 << 30))
		return false;
	argument = kernel->objects[object].argument;
	if (argument == IR_NONE)
		kernel->objects[object].size_bytes = (uint64_t)bytes;
	else if (argument < launch->argument_count)
		launch->arguments[argument].size_bytes = (uint64_t)bytes;
	return true;
}

/* What of several.h a change is; false: another change. */
static bool is_of_several(const struct what_if *what_if, struct several *several)
{
	*several =
	        (struct several){.dimension = what_if->place & 0xff, .count = what_if->place >> 8};
	switch ((enum what_if_kind)what_if->kind) {
	case WHAT_IF_BLOCKED:
		several->way = SEVERAL_BLOCK;
		return true;
	case WHAT_IF_WIDENED:
		several->way = SEVERAL_WIDTH;
		several->is_masked = true;
		return true;
	case WHAT_IF_IN_TURNS:
		several->way = SEVERAL_TURNS;
		return true;
	case WHAT_IF_IMAGE:
		*several = (struct several){
		        .way = SEVERAL_IMAGE,
		        .object = what_if->place,
		        .pitch = what_if->detail >= 1 && what_if->detail <= (double)(1 << 20)
		                         ? (uint32_t)what_if->detail
		                         : 0};
		return true;
	case WHAT_IF_SKEWED:
	case WHAT_IF_NEAR:
		*several = (struct several){.way = what_if->kind == WHAT_IF_NEAR ? SEVERAL_NEAR
		                                                                 : SEVERAL_SKEW,
		                            .object = what_if->place};
		return true;
	case WHAT_IF_MORE_GROUPS:
		*several = (struct several){
		        .way = SEVERAL_GROUPS,
		        .loop = what_if->place,
		        .count = what_if->detail >= 2 &&
		                                 what_if->detail <= (double)(int)SEVERAL_GROUPS_MOST
		                         ? (unsigned)what_if->detail
		                         : 0};
		return true;
	case WHAT_IF_QUOTIENT:
		*several = (struct several){.way = SEVERAL_QUOTIENT};
		return true;
	case WHAT_IF_REMAINDER:
		*several = (struct several){.way = SEVERAL_REMAINDER};
		return true;
	case WHAT_IF_TREE:
		*several = (struct several){.way = SEVERAL_TREE, .loop = what_if->place};
		return true;
	case WHAT_IF_DIRECT:
		*several = (struct several){.way = SEVERAL_DIRECT};
		return true;
	case WHAT_IF_CHOSEN:
		*several = (struct several){.way = SEVERAL_CHOSEN, .loop = what_if->place};
		return true;
	case WHAT_IF_BESIDE:
	case WHAT_IF_SUMMED:
	case WHAT_IF_STRIP:
		*several = (struct several){.way = what_if->kind == WHAT_IF_BESIDE  ? SEVERAL_BESIDE
		                                   : what_if->kind == WHAT_IF_STRIP ? SEVERAL_STRIP
		                                                                    : SEVERAL_SUMS,
		                            .loop = what_if->place,
		                            .count = what_if->detail >= 2 && what_if->detail <= 16
		                                             ? (unsigned)what_if->detail
		                                             : 0};
		return true;
	case WHAT_IF_SPREAD:
		*several = (struct several){
		        .way = SEVERAL_SPLIT,
		        .loop = what_if->place & ~WHAT_IF_APART,
		        .is_apart = (what_if->place & WHAT_IF_APART) != 0,
		        .count =
		                what_if->detail >= 2 && what_if->detail <= (double)(int)SEVERAL_MOST
		                        ? (unsigned)what_if->detail
		                        : 0};
		return true;
	default:
		return false;
	}
}

/* Of the summary: accesses to a store's object leave loops around it, as hoisted ones do. */
static bool keep(struct ir_kernel *kernel, const struct what_if *what_if)
{
	struct ir_summary *summary = kernel->summary;
	uint32_t inside, outside = IR_NONE, body = IR_NONE;

	if (what_if->place >= kernel->access_count)
		return false;
	inside = summary->access_block[what_if->place];
	for (double left = what_if->detail; left >= 1; left--) {
		if (inside == IR_NONE || summary->block_loop[inside] == IR_NONE)
			return false;
		body = kernel->statements[summary->loops[summary->block_loop[inside]].statement]
		               .body;
		inside = outside = block_outside(kernel, inside);
	}
	for (uint32_t i = 0; body != IR_NONE && i < kernel->access_count; i++)
		if (kernel->accesses[i].object == kernel->accesses[what_if->place].object &&
		    summary->access_block[i] != IR_NONE &&
		    block_is_within(kernel, summary->access_block[i], body))
			summary->access_block[i] = outside;
	return body != IR_NONE;
}

/* Of the summary: work-items are lanes where that obstacle kept them from it. */
static bool take_obstacle(struct ir_kernel *kernel, uint32_t obstacle)
{
	bool is_any = false;

	for (uint32_t block = 0; block < kernel->block_count; block++) {
		if (kernel->summary->block_obstacle[block] != obstacle || obstacle == VECTOR_OK)
			continue;
		kernel->summary->block_obstacle[block] = VECTOR_OK;
		is_any = true;
	}
	return is_any;
}

/* Changes that leave the kernel as it is. */
static bool is_of_evaluation(enum what_if_kind kind)
{
	return kind == WHAT_IF_GROUPED || kind == WHAT_IF_TRANSPOSED || kind == WHAT_IF_ALIGNED ||
	       kind == WHAT_IF_PADDED || kind == WHAT_IF_PITCHED || kind == WHAT_IF_CONVERGED ||
	       kind == WHAT_IF_BALANCED || kind == WHAT_IF_CHUNKED;
}

/* Whether it is of something that the kernel has, by numbers that can be reckoned with. */
static bool is_sound(const struct ir_kernel *kernel, const struct what_if *what_if,
                     struct launch *launch)
{
	switch ((enum what_if_kind)what_if->kind) {
	case WHAT_IF_GROUPED:
		return regroup(launch, what_if->place);
	case WHAT_IF_ALIGNED:
		return what_if->place < kernel->object_count && what_if->detail > 0 &&
		       what_if->detail < (double)(int)WHAT_IF_LINE_BYTES;
	case WHAT_IF_PITCHED:
		return what_if->place < kernel->object_count &&
		       what_if->detail >= (double)(int)WHAT_IF_PITCH_BYTES &&
		       what_if->detail < INT32_MAX;
	case WHAT_IF_CONVERGED:
		return what_if->place < kernel->statement_count &&
		       kernel->statements[what_if->place].kind == STATEMENT_BRANCH;
	case WHAT_IF_BALANCED:
	case WHAT_IF_CHUNKED:
		return what_if->detail >= 1 && what_if->detail <= INT32_MAX &&
		       what_if->place < kernel->statement_count &&
		       kernel->statements[what_if->place].kind == STATEMENT_LOOP;
	default:
		return what_if->place < kernel->object_count;
	}
}

static bool change_kernel(struct ir_kernel *kernel, const struct ir_kernel *from,
                          const struct what_if *what_if, struct launch *launch)
{
	switch ((enum what_if_kind)what_if->kind) {
	case WHAT_IF_NATIVE:
		return make_native(kernel, what_if->place);
	case WHAT_IF_CONSTANT_ARG:
		return make_constant(kernel, launch, what_if->place);
	case WHAT_IF_UNROLLED:
		return unroll(kernel, what_if->place, what_if->detail);
	case WHAT_IF_EXCHANGED:
		return exchange(kernel, from, launch);
	case WHAT_IF_STAGED:
		return what_if->place < kernel->block_count && what_if->detail >= 1 &&
		       what_if->detail <= UINT32_MAX &&
		       stage_block(kernel, launch, what_if->place, (uint32_t)what_if->detail);
	case WHAT_IF_TILED:
		return what_if->place < kernel->access_count &&
		       stage_access(kernel, launch, what_if->place);
	case WHAT_IF_IN_CONSTANT:
		return put_in_constant(kernel, what_if->place);
	case WHAT_IF_IN_LOCAL:
	case WHAT_IF_WINDOW:
		return what_if->place < kernel->object_count && what_if->detail >= 1 &&
		       what_if->detail < (double)(1 << 20) &&
		       stage_object(kernel, launch, what_if->place, what_if->detail);
	case WHAT_IF_RESERVED:
		return reserve(kernel, launch, what_if->place, what_if->detail);
	case WHAT_IF_VECTORISED:
		return what_if->place < VECTOR_OBSTACLE_COUNT;
	case WHAT_IF_KEPT:
		return what_if->place < kernel->access_count; /* once it is sealed */
	default:
		return false;
	}
}

enum status what_if_apply(const struct ir_kernel *kernel, const struct what_if *what_if,
                          struct launch *launch, struct what_if_change *change, struct error *error)
{
	struct several several;
	enum status status;
	bool is_made;

	*change = (struct what_if_change){0};
	if (kernel->unsupported[0] != '\0' || !kernel->summary || what_if->kind >= WHAT_IF_COUNT)
		return error_set(error, STATUS_INVALID, "what-if: %s has nothing such",
		                 kernel->name);
	if (is_of_evaluation((enum what_if_kind)what_if->kind))
		return is_sound(kernel, what_if, launch)
		               ? STATUS_OK
		               : error_set(error, STATUS_INVALID, "what-if %s: %s has nothing such",
		                           what_if_word((enum what_if_kind)what_if->kind),
		                           kernel->name);
	if (is_of_several(what_if, &several)) {
		status = several_build(kernel, launch, &several, &change->kernel, error);
		if (status == STATUS_OK)
			status = kernel_seal(change->kernel, error);
		if (status == STATUS_CORRUPT) /* what it would be built of does not fit together */
			status = error_set(error, STATUS_INVALID, "what-if: %s has nothing such",
			                   kernel->name);
		if (status != STATUS_OK)
			what_if_deinit(change);
		return status;
	}
	change->kernel = copy_with_room(kernel);
	if (!change->kernel)
		return error_set(error, STATUS_NO_MEMORY, "what-if: no memory for a kernel");
	change->first_block = kernel->block_count;
	change->first_access = kernel->access_count;
	is_made = change_kernel(change->kernel, kernel, what_if, launch);
	status = is_made ? kernel_seal(change->kernel, error) : STATUS_INVALID;
	if (status == STATUS_OK && what_if->kind == WHAT_IF_VECTORISED)
		is_made = take_obstacle(change->kernel, what_if->place);
	if (status == STATUS_OK && what_if->kind == WHAT_IF_KEPT)
		is_made = keep(change->kernel, what_if);
	if (!is_made)
		status = error_set(error, STATUS_INVALID, "what-if %s: %s has nothing such",
		                   what_if_word((enum what_if_kind)what_if->kind), kernel->name);
	if (status != STATUS_OK)
		what_if_deinit(change);
	return status;
}

void what_if_deinit(struct what_if_change *change)
{
	kernel_free(change->kernel);
	*change = (struct what_if_change){0};
}
