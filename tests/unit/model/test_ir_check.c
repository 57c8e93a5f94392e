/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels broken by hand, one invariant at a time. */
#include "tests/test.h"

#include "model/ir/check.h"
#include "model/ir/text.h"
#include "model/passes/passes.h"
#include "tests/unit/model/build.h"

struct fixture {
	struct ir_kernel *kernel;
	uint32_t load, store, branch, barrier; /* statements */
	uint32_t sum, lane, in, out;           /* nodes, objects */
	struct loop loop;
	uint32_t exit;
};

/*
 * k(global float *in, global float *out, float4 v):
 *   for (i = 0; i < 10; i++) { s += in[i]; if (s < 9) break; }
 *   if (gid < 5) out[gid] = s + v.z;
 *   barrier
 */
static int set_up(void **state)
{
	static struct fixture f;
	memset(&f, 0, sizeof f);
	struct ir_kernel *kernel = f.kernel = kernel_new("k");
	f.in = add_buffer(kernel, "in", SPACE_GLOBAL, FLOAT);
	f.out = add_buffer(kernel, "out", SPACE_GLOBAL, FLOAT);
	uint32_t v = add_scalar(kernel, "v", (struct type){SCALAR_FLOAT, 4});
	uint32_t gid = add_id(kernel, NODE_GLOBAL_ID, 0);
	f.loop =
	        open_loop(kernel, 0, kernel_integer(kernel, INT, 0), kernel_real(kernel, FLOAT, 0));
	uint32_t value = add_load(kernel, f.loop.body, f.in, f.loop.i);
	f.load = kernel->statement_count - 1;
	f.sum = kernel_binary(kernel, NODE_ADD, FLOAT, f.loop.sum, value);
	uint32_t stops = kernel_binary(kernel, NODE_LT, INT, f.sum, kernel_real(kernel, FLOAT, 9));
	uint32_t body = add_branch(kernel, f.loop.body, stops, NULL);
	struct ir_statement statement = statement_of(STATEMENT_EXIT, 3);
	statement.target = f.loop.statement;
	f.exit = kernel_append(kernel, body, &statement);
	close_loop(kernel, &f.loop, NODE_LT, kernel_integer(kernel, INT, 10),
	           kernel_binary(kernel, NODE_ADD, INT, f.loop.i, kernel_integer(kernel, INT, 1)),
	           f.sum);
	uint32_t is_low = kernel_binary(kernel, NODE_LT, INT, gid, kernel_integer(kernel, INT, 5));
	body = add_branch(kernel, 0, is_low, NULL);
	f.branch = kernel->statement_count - 1;
	f.lane = kernel_node(kernel, NODE_SWIZZLE, FLOAT, &v, 1, 0, 2);
	(void)add_store(kernel, body, f.out, gid,
	                kernel_binary(kernel, NODE_ADD, FLOAT, f.loop.sum, f.lane));
	f.store = kernel->statement_count - 1;
	add_barrier(kernel, 0);
	f.barrier = kernel->statement_count - 1;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	kernel_free(f->kernel);
	return 0;
}

static void breaks(struct fixture *f, const char *fragment)
{
	struct error error = {0};
	enum status status = kernel_check(f->kernel, &error);
	if (status != STATUS_CORRUPT)
		fail_msg("want corrupt (%s), got %s", fragment, status_word(status));
	if (strstr(error.text, fragment) == NULL)
		fail_msg("want \"%s\" in \"%s\"", fragment, error.text);
}

static struct ir_access *access_of(struct fixture *f, uint32_t statement)
{
	return &f->kernel->accesses[f->kernel->statements[statement].access];
}

static void the_sound_kernel_passes_and_seals(void **state)
{
	struct fixture *f = *state;
	struct error error;
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_OK);
	seal(f->kernel);
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_OK);
	assert_true(f->kernel->summary->has_barrier);
}

static void names_end(void **state)
{
	struct fixture *f = *state;
	memset(f->kernel->arguments[1].name, 'x', IR_NAME_MAX);
	breaks(f, "argument 1: its name is not terminated");
	f->kernel->arguments[1].name[3] = '\0';
	memset(f->kernel->objects[0].name, 'x', IR_NAME_MAX);
	breaks(f, "object 0: its name is not terminated");
	memset(f->kernel->name, 'x', IR_NAME_MAX);
	breaks(f, "its name is not terminated");
}

static void counts_are_bounded(void **state)
{
	struct fixture *f = *state;
	struct error error;
	uint32_t count = f->kernel->node_count;
	f->kernel->node_count = IR_NODES_MAX + 1;
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_LIMIT);
	f->kernel->node_count = count;
	count = f->kernel->block_count;
	f->kernel->block_count = 0;
	breaks(f, "no block 0");
	f->kernel->block_count = count;
}

static void arguments_and_objects_name_each_other(void **state)
{
	struct fixture *f = *state;
	f->kernel->arguments[0].object = 1;
	breaks(f, "argument 0: object 1 is not its own");
	f->kernel->arguments[0].object = 77;
	breaks(f, "argument 0: object 77 is not its own");
	f->kernel->arguments[0].object = IR_NONE;
	breaks(f, "object 0: argument 0 is not its own");
}

static void kinds_and_spaces_are_known(void **state)
{
	struct fixture *f = *state;
	f->kernel->arguments[2].kind = ARGUMENT_KIND_COUNT;
	breaks(f, "argument 2: unknown kind");
	f->kernel->arguments[2].kind = ARGUMENT_SCALAR;
	f->kernel->objects[1].space = SPACE_COUNT;
	breaks(f, "object 1: unknown space");
}

static void operators_and_types_are_known(void **state)
{
	struct fixture *f = *state;
	f->kernel->nodes[f->sum].op = NODE_OP_COUNT;
	breaks(f, "unknown operator");
	f->kernel->nodes[f->sum].op = NODE_ADD;
	f->kernel->nodes[f->sum].type.width = 5;
	breaks(f, "no valid type");
}

static void operands_are_counted_in_range_and_older(void **state)
{
	struct fixture *f = *state;
	struct ir_node *sum = &f->kernel->nodes[f->sum];
	uint32_t first = sum->first_operand;
	sum->operand_count = 1;
	breaks(f, "has 1 operands");
	sum->operand_count = 2;
	sum->first_operand = f->kernel->operand_count - 1;
	breaks(f, "operands out of range");
	sum->first_operand = UINT32_MAX;
	breaks(f, "operands out of range");
	sum->first_operand = first;
	f->kernel->operands[first] = f->sum;
	breaks(f, "operand 0 is no older node");
}

static void lanes_are_within_the_vector(void **state)
{
	struct fixture *f = *state;
	f->kernel->nodes[f->lane].imm = 4;
	breaks(f, "a lane out of range");
}

static void widths_agree(void **state)
{
	struct fixture *f = *state;
	f->kernel->nodes[f->sum].type.width = 2;
	breaks(f, "operands of another width");
}

static void dimensions_are_below_three(void **state)
{
	struct fixture *f = *state;
	for (uint32_t i = 0; i < f->kernel->node_count; i++)
		if (f->kernel->nodes[i].op == NODE_GLOBAL_ID)
			f->kernel->nodes[i].aux = 3;
	breaks(f, "a dimension over 2");
}

static void argument_values_are_of_their_argument(void **state)
{
	struct fixture *f = *state;
	uint32_t arg = 0;
	while (f->kernel->nodes[arg].op != NODE_ARG)
		arg++;
	f->kernel->nodes[arg].aux = 9;
	breaks(f, "no such argument");
	f->kernel->nodes[arg].aux = 0; /* a buffer */
	breaks(f, "an argument that is no value");
	f->kernel->nodes[arg].aux = 2;
	f->kernel->arguments[2].type.width = 2;
	breaks(f, "an argument of another type");
}

static void built_ins_are_known(void **state)
{
	struct fixture *f = *state;
	struct ir_node *lane = &f->kernel->nodes[f->lane];
	lane->op = NODE_CALL;
	lane->aux = BUILTIN_COUNT;
	breaks(f, "no such built-in");
}

static void integer_operators_take_integers(void **state)
{
	struct fixture *f = *state;
	f->kernel->nodes[f->sum].op = NODE_XOR;
	breaks(f, "an integer operator on another type");
}

static void loop_variables_are_in_their_slots(void **state)
{
	struct fixture *f = *state;
	struct ir_node *i = &f->kernel->nodes[f->loop.i];
	i->imm = 1;
	breaks(f, "not the variable in its slot");
	i->imm = 5000;
	breaks(f, "not the variable in its slot");
	i->imm = 0;
	i->aux = f->branch;
	breaks(f, "a variable of no loop");
	i->aux = f->loop.statement;
	f->kernel->statements[f->loop.statement].first_variable = 40;
	breaks(f, "not the variable in its slot");
}

static void loop_variables_begin_and_go_on(void **state)
{
	struct fixture *f = *state;
	struct ir_variable *i = &f->kernel->variables[f->loop.first];
	uint32_t next = i->next;
	i->next = IR_NONE;
	breaks(f, "variable 0 has no next value");
	i->next = f->sum; /* a float */
	breaks(f, "variable 0 has no next value");
	i->next = next;
	i->init = i->node;
	breaks(f, "variable 0 begins as another type");
}

static void every_variable_has_a_loop(void **state)
{
	struct fixture *f = *state;
	f->kernel->statements[f->loop.statement].variable_count = 1;
	f->kernel->nodes[f->loop.sum].op = NODE_UNKNOWN;
	breaks(f, "variables of no loop");
}

static void results_belong_to_their_access(void **state)
{
	struct fixture *f = *state;
	struct ir_access *load = access_of(f, f->load);
	load->result = f->sum;
	breaks(f, "not the result of its access");
	f->kernel->nodes[f->loop.i].aux = f->loop.statement;
	struct ir_access *store = access_of(f, f->store);
	store->result = 0;
	breaks(f, "not the result of its access");
}

static void accesses_name_what_exists(void **state)
{
	struct fixture *f = *state;
	struct ir_access *store = access_of(f, f->store), good = *store;
	store->object = 2;
	breaks(f, "no object 2");
	*store = good;
	store->index = f->sum;
	breaks(f, "its index is no integer");
	*store = good;
	store->index = 5000;
	breaks(f, "its index is no integer");
	*store = good;
	store->value = IR_NONE;
	breaks(f, "stores nothing");
	*store = good;
	store->value = 5000;
	breaks(f, "no value 5000");
	*store = good;
	store->offset_bytes = INT64_MIN;
	breaks(f, "scale or offset too large");
	*store = good;
	store->result = 1;
	breaks(f, "a store has no result");
	*store = good;
	store->kind = ACCESS_KIND_COUNT;
	breaks(f, "unknown kind");
}

static void a_load_does_not_depend_on_itself(void **state)
{
	struct fixture *f = *state;
	struct ir_access *load = access_of(f, f->load);
	uint32_t later = kernel_binary(f->kernel, NODE_ADD, INT, f->loop.i,
	                               kernel_integer(f->kernel, INT, 5));
	load->index = later;
	breaks(f, "depends on its own result");
}

/* Nothing else would need the value, so no pass would find it a place. */
static void a_load_has_no_value_to_store(void **state)
{
	struct fixture *f = *state;
	access_of(f, f->load)->value = f->loop.i;
	breaks(f, "has a value to store");
}

static void an_access_has_one_statement(void **state)
{
	struct fixture *f = *state;
	f->kernel->statements[f->store].access = f->kernel->statements[f->load].access;
	breaks(f, "is not its own");
}

static void conditions_are_values_where_they_belong(void **state)
{
	struct fixture *f = *state;
	struct ir_statement *branch = &f->kernel->statements[f->branch];
	uint32_t condition = branch->condition;
	branch->condition = 9999;
	breaks(f, "its condition is no scalar");
	branch->condition = IR_NONE;
	breaks(f, "its condition is no scalar");
	branch->condition = condition;
	f->kernel->statements[f->barrier].condition = 1;
	breaks(f, "a condition that its kind does not have");
}

static void statements_make_a_tree(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	struct ir_statement *barrier = &kernel->statements[f->barrier];
	barrier->following = f->loop.statement; /* a cycle */
	breaks(f, "is not its own");
	barrier->following = 9999;
	breaks(f, "is not its own");
	barrier->following = f->load; /* of another block */
	breaks(f, "is not its own");
	barrier->following = IR_NONE;
	kernel->statements[f->branch].following = IR_NONE; /* leaves the barrier out */
	breaks(f, "its last statement is another");
	kernel->blocks[0].last = f->branch;
	breaks(f, "in no block of the kernel");
}

static void blocks_have_one_owner(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t body = kernel->statements[f->branch].body;
	kernel->statements[f->branch].body = f->loop.body;
	breaks(f, "is not its own");
	kernel->statements[f->branch].body = 0;
	breaks(f, "is not its own");
	kernel->statements[f->branch].body = IR_NONE;
	breaks(f, "blocks that its kind does not have");
	kernel->statements[f->branch].body = body;
	kernel->statements[f->branch].otherwise = body;
	breaks(f, "blocks that its kind does not have");
	kernel->statements[f->branch].otherwise = IR_NONE;
	kernel->blocks[0].owner = f->branch;
	breaks(f, "block 0: has an owner");
}

static void exits_leave_what_is_around_them(void **state)
{
	struct fixture *f = *state;
	struct ir_statement *leave = &f->kernel->statements[f->exit];
	leave->target = f->branch;
	breaks(f, "leaves what is not around it");
	leave->target = 9999;
	breaks(f, "leaves what is not around it");
	leave->target = f->kernel->blocks[leave->block].owner; /* the branch around it */
	breaks(f, "its target is no loop");
	leave->target = IR_NONE;
	leave->kind = STATEMENT_NEXT;
	breaks(f, "leaves what is not around it");
}

static void written_counts_name_what_exists(void **state)
{
	struct fixture *f = *state;
	kernel_write_operation(f->kernel, 77, OP_CLASS_ADD, TYPE_CLASS_INT, 1);
	breaks(f, "written count 0");
	f->kernel->written[0].block = 0;
	f->kernel->written[0].op_class = OP_CLASS_NONE;
	breaks(f, "written count 0");
}

static void nesting_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct error error;
	uint32_t block = 0;
	for (int i = 0; i < IR_DEPTH_MAX; i++)
		block = add_branch(f->kernel, block, f->kernel->statements[f->branch].condition,
		                   NULL);
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_LIMIT);
}

/* A copy as a decoder makes it: exact arrays, no builder. */
static struct ir_kernel *copy_of(const struct ir_kernel *kernel)
{
	struct ir_kernel *copy = kernel_allocate(kernel);
	assert_non_null(copy);
#define COPY(array, count) memcpy(copy->array, kernel->array, kernel->count * sizeof *copy->array)
	COPY(arguments, argument_count);
	COPY(objects, object_count);
	COPY(nodes, node_count);
	COPY(operands, operand_count);
	COPY(accesses, access_count);
	COPY(statements, statement_count);
	COPY(variables, variable_count);
	COPY(blocks, block_count);
#undef COPY
	return copy;
}

static void a_decoded_kernel_without_a_builder_seals(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *copy = copy_of(f->kernel);
	seal(copy);
	seal(f->kernel);
	assert_close(emitted_in_all(copy, 0), emitted_in_all(f->kernel, 0), 0);
	kernel_free(copy);
}

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

/* Sets one aligned word of an array to a small number, IR_NONE or noise. */
static void spoil(uint64_t *seed, void *array, size_t bytes)
{
	uint32_t word = draw(seed) % 40;
	if (draw(seed) % 8 == 0)
		word = draw(seed) % 2 == 0 ? IR_NONE : draw(seed) * 2 + 1;
	if (bytes < sizeof word)
		return;
	size_t at = draw(seed) % (bytes / sizeof word) * sizeof word;
	if (draw(seed) % 2 == 0)
		memcpy((char *)array + at, &word, sizeof word);
	else
		((uint8_t *)array)[at + draw(seed) % 4] = (uint8_t)word;
}

/* Bool fields hold what the decoder gives them: 0 or 1. */
static void mend_bools(struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		uint8_t bytes[2];
		memcpy(&bytes[0], &kernel->objects[i].is_volatile, 1);
		memcpy(&bytes[1], &kernel->objects[i].is_restrict, 1);
		kernel->objects[i].is_volatile = bytes[0] & 1;
		kernel->objects[i].is_restrict = bytes[1] & 1;
	}
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		uint8_t byte;
		memcpy(&byte, &kernel->statements[i].tests_last, 1);
		kernel->statements[i].tests_last = byte & 1;
	}
}

static void spoilt_kernels_are_refused_or_harmless(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 20261120;
	unsigned sealed = 0, refused = 0;
	char *text;
	for (unsigned round = 0; round < 20000; round++) {
		struct ir_kernel *copy = copy_of(f->kernel);
		struct error error = {0};
		for (unsigned spoils = 1 + draw(&seed) % 2; spoils > 0; spoils--) {
			void *const arrays[] = {copy->nodes,      copy->operands,  copy->accesses,
			                        copy->statements, copy->variables, copy->blocks,
			                        copy->objects,    copy->arguments};
			const size_t sizes[] = {copy->node_count * sizeof *copy->nodes,
			                        copy->operand_count * sizeof *copy->operands,
			                        copy->access_count * sizeof *copy->accesses,
			                        copy->statement_count * sizeof *copy->statements,
			                        copy->variable_count * sizeof *copy->variables,
			                        copy->block_count * sizeof *copy->blocks,
			                        copy->object_count * sizeof *copy->objects,
			                        copy->argument_count * sizeof *copy->arguments};
			unsigned which = draw(&seed) % 8;
			spoil(&seed, arrays[which], sizes[which]);
		}
		mend_bools(copy);
		if (kernel_seal(copy, &error) == STATUS_OK) {
			sealed++;
			assert_int_equal(kernel_format(copy, 4096, &text, &error), STATUS_OK);
			free(text);
		} else {
			refused++;
			assert_true(error.text[0] != '\0');
		}
		kernel_free(copy);
	}
	assert_true(sealed > 1000 && refused > 1000);
}

/* ---- a builder that is asked for what cannot be -------------------------------------------------
 */

enum misuse {
	UNKNOWN_OPERATOR,
	INVALID_TYPE,
	TOO_MANY_OPERANDS,
	TOO_FEW_OPERANDS,
	NO_OPERANDS,
	MISSING_OPERAND,
	STATEMENT_IN_NO_BLOCK,
	BLOCK_ZERO_AS_BODY,
	BLOCK_THAT_IS_NOT,
	BLOCK_OF_TWO,
	VARIABLES_OF_NOTHING,
	VARIABLES_OF_A_BARRIER,
	TOO_MANY_VARIABLES,
	VARIABLE_WITHOUT_VALUE,
	CLOSING_WHAT_IS_NOT,
	CLOSING_WITH_NOTHING,
	MISUSES
};

static void misuse(struct ir_kernel *kernel, enum misuse what, uint32_t value)
{
	static const struct type types[IR_LOOP_VARIABLES_MAX + 1];
	static const uint32_t inits[IR_LOOP_VARIABLES_MAX + 1];
	const uint32_t operands[IR_OPERANDS_MAX + 1] = {value, value, value};
	const uint32_t missing[2] = {value, 999};
	const struct type bad = {SCALAR_INT, 5}, type = INT;
	struct ir_statement loop = statement_of(STATEMENT_LOOP, 1);
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 1);
	uint32_t body = kernel_block(kernel), id;
	switch (what) {
	case UNKNOWN_OPERATOR:
		(void)kernel_node(kernel, NODE_OP_COUNT, INT, operands, 1, 0, 0);
		break;
	case INVALID_TYPE:
		(void)kernel_node(kernel, NODE_NEG, bad, operands, 1, 0, 0);
		break;
	case TOO_MANY_OPERANDS:
		(void)kernel_node(kernel, NODE_VECTOR, INT, operands, IR_OPERANDS_MAX + 1, 0, 0);
		break;
	case TOO_FEW_OPERANDS:
		(void)kernel_node(kernel, NODE_ADD, INT, operands, 1, 0, 0);
		break;
	case NO_OPERANDS:
		(void)kernel_node(kernel, NODE_VECTOR, INT, NULL, 0, 0, 0);
		break;
	case MISSING_OPERAND:
		(void)kernel_node(kernel, NODE_ADD, INT, missing, 2, 0, 0);
		break;
	case STATEMENT_IN_NO_BLOCK:
		(void)kernel_append(kernel, 999, &barrier);
		break;
	case BLOCK_ZERO_AS_BODY:
		loop.body = 0;
		(void)kernel_append(kernel, 0, &loop);
		break;
	case BLOCK_THAT_IS_NOT:
		loop.body = 999;
		(void)kernel_append(kernel, 0, &loop);
		break;
	case BLOCK_OF_TWO:
		loop.body = body;
		(void)kernel_append(kernel, 0, &loop);
		loop.body = IR_NONE;
		loop.otherwise = body;
		(void)kernel_append(kernel, 0, &loop);
		break;
	case VARIABLES_OF_NOTHING:
		(void)kernel_open_variables(kernel, 999, &type, &value, 1);
		break;
	case VARIABLES_OF_A_BARRIER:
		id = kernel_append(kernel, 0, &barrier);
		(void)kernel_open_variables(kernel, id, &type, &value, 1);
		break;
	case TOO_MANY_VARIABLES:
		loop.body = body;
		id = kernel_append(kernel, 0, &loop);
		(void)kernel_open_variables(kernel, id, types, inits, IR_LOOP_VARIABLES_MAX + 1);
		break;
	case VARIABLE_WITHOUT_VALUE:
		loop.body = body;
		id = kernel_append(kernel, 0, &loop);
		(void)kernel_open_variables(kernel, id, &type, &missing[1], 1);
		break;
	case CLOSING_WHAT_IS_NOT:
		kernel_close_variable(kernel, 999, value);
		break;
	case CLOSING_WITH_NOTHING:
		loop.body = body;
		id = kernel_append(kernel, 0, &loop);
		id = kernel_open_variables(kernel, id, &type, &value, 1);
		kernel_close_variable(kernel, id, 999);
		break;
	case MISUSES:
		break;
	}
}

/* Whatever it was, nothing is added after it, and the seal says what it was. */
static void misused_builders_refuse_the_kernel(void **state)
{
	static const char *const reasons[MISUSES] = {
	        [UNKNOWN_OPERATOR] = "no known operator or type",
	        [INVALID_TYPE] = "no known operator or type",
	        [TOO_MANY_OPERANDS] = "no known operator or type",
	        [TOO_FEW_OPERANDS] = "too few or too many operands",
	        [NO_OPERANDS] = "too few or too many operands",
	        [MISSING_OPERAND] = "an operand that does not exist",
	        [STATEMENT_IN_NO_BLOCK] = "a statement in no block",
	        [BLOCK_ZERO_AS_BODY] = "a block with two owners",
	        [BLOCK_THAT_IS_NOT] = "a block with two owners",
	        [BLOCK_OF_TWO] = "a block with two owners",
	        [VARIABLES_OF_NOTHING] = "variables of what is no loop",
	        [VARIABLES_OF_A_BARRIER] = "variables of what is no loop",
	        [TOO_MANY_VARIABLES] = "too many variables of one loop",
	        [VARIABLE_WITHOUT_VALUE] = "a variable without a value",
	        [CLOSING_WHAT_IS_NOT] = "a variable without a next value",
	        [CLOSING_WITH_NOTHING] = "a variable without a next value",
	};
	(void)state;
	for (int what = 0; what < MISUSES; what++) {
		struct error error = {0};
		struct ir_kernel *kernel = kernel_new("k");
		const struct ir_argument argument = {.object = IR_NONE};
		const struct ir_object object = {.argument = IR_NONE};
		const struct ir_access access = {.index = IR_NONE};
		const struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 1);
		const struct type type = INT;
		uint32_t value = kernel_integer(kernel, INT, 3);
		misuse(kernel, (enum misuse)what, value);
		assert_int_equal(kernel_add_argument(kernel, &argument), IR_NONE);
		assert_int_equal(kernel_add_object(kernel, &object), IR_NONE);
		assert_int_equal(kernel_node(kernel, NODE_NEG, INT, &value, 1, 0, 0), IR_NONE);
		assert_int_equal(kernel_integer(kernel, INT, 4), IR_NONE);
		assert_int_equal(kernel_unknown(kernel, INT), IR_NONE);
		assert_int_equal(kernel_block(kernel), IR_NONE);
		assert_int_equal(kernel_append(kernel, 0, &barrier), IR_NONE);
		assert_int_equal(kernel_access(kernel, 0, &access), IR_NONE);
		assert_int_equal(kernel_open_variables(kernel, 0, &type, &value, 1), IR_NONE);
		kernel_close_variable(kernel, 0, value);
		kernel_write_operation(kernel, 0, OP_CLASS_ADD, TYPE_CLASS_INT, 1);
		assert_int_equal(kernel->written_count, 0);
		assert_int_not_equal(kernel_seal(kernel, &error), STATUS_OK);
		if (strstr(error.text, reasons[what]) == NULL)
			fail_msg("want \"%s\", got \"%s\"", reasons[what], error.text);
		/* with a reason of its own it is a fallback all the same */
		kernel_unsupported(kernel, "line %d: because", 3);
		kernel_unsupported(kernel, "line 4: never mind");
		assert_int_equal(kernel_seal(kernel, &error), STATUS_OK);
		assert_string_equal(kernel->unsupported, "line 3: because");
		kernel_free(kernel);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        TEST(the_sound_kernel_passes_and_seals),
	        TEST(names_end),
	        TEST(counts_are_bounded),
	        TEST(arguments_and_objects_name_each_other),
	        TEST(kinds_and_spaces_are_known),
	        TEST(operators_and_types_are_known),
	        TEST(operands_are_counted_in_range_and_older),
	        TEST(lanes_are_within_the_vector),
	        TEST(widths_agree),
	        TEST(dimensions_are_below_three),
	        TEST(argument_values_are_of_their_argument),
	        TEST(built_ins_are_known),
	        TEST(integer_operators_take_integers),
	        TEST(loop_variables_are_in_their_slots),
	        TEST(loop_variables_begin_and_go_on),
	        TEST(every_variable_has_a_loop),
	        TEST(results_belong_to_their_access),
	        TEST(accesses_name_what_exists),
	        TEST(a_load_does_not_depend_on_itself),
	        TEST(a_load_has_no_value_to_store),
	        TEST(an_access_has_one_statement),
	        TEST(conditions_are_values_where_they_belong),
	        TEST(statements_make_a_tree),
	        TEST(blocks_have_one_owner),
	        TEST(exits_leave_what_is_around_them),
	        TEST(written_counts_name_what_exists),
	        TEST(nesting_is_bounded),
	        TEST(a_decoded_kernel_without_a_builder_seals),
	        TEST(spoilt_kernels_are_refused_or_harmless),
	        cmocka_unit_test(misused_builders_refuse_the_kernel),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
