/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of a GPU: warps issue from one slot to pipes that work beside each other.
 */
#include <math.h>

#include "model/time/gpu/gpu.h"
#include "model/underived.h"

/* What the shortest operation takes, which is to issue it. */
static double slot_time(const struct device *device)
{
	return device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_FMA);
}

double warp_issue_time(const struct machine *m, uint32_t access)
{
	return is_register(m, access) ? 0 : access_items(m, access) * slot_time(m->input->device);
}

/* Loads, stores and barriers of all work-items. */
static double accesses_issued(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double issued = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		issued += is_register(m, i) ? 0 : access_items(m, i);
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_BARRIER)
			issued += block_items(m, kernel->statements[i].block);
	return issued;
}

/* Adds n operations that take op_s each where nothing else goes on. */
static void add_to_pipes(const struct device *device, enum type_class type, enum op_class op,
                         double n, double op_s, double pipe[PIPE_TERMS])
{
	bool is_whole = type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG;
	double slot = slot_time(device);
	double special =
	        device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SQRT);
	double words = type == TYPE_CLASS_LONG ? 2 : 1;

	switch (op) {
	case OP_CLASS_ADD:
		pipe[is_whole ? PIPE_INTEGER : PIPE_REAL] += n * op_s * (is_whole ? 0.5 : 1);
		pipe[PIPE_PRODUCT] += is_whole ? n * op_s * 0.5 : 0;
		break;
	case OP_CLASS_MUL:
	case OP_CLASS_MUL_HI:
	case OP_CLASS_FMA:
		pipe[is_whole ? PIPE_PRODUCT : PIPE_REAL] += n * op_s;
		break;
	case OP_CLASS_POPCOUNT:
	case OP_CLASS_CLZ: /* word by word where tables are looked up */
		pipe[PIPE_DIVIDER] += n * op_s;
		break;
	case OP_CLASS_BIT:
	case OP_CLASS_COMPARE:
	case OP_CLASS_SELECT:
	case OP_CLASS_MINMAX:
	case OP_CLASS_FMINMAX:
		pipe[PIPE_INTEGER] += n * op_s;
		break;
	default: /* a look-up; what takes longer than that is a sequence around one */
		pipe[PIPE_DIVIDER] += n * fmin(op_s, special);
		if (op_s > ONE_LOOK_UP * special)
			words = op_s / slot;
	}
	pipe[PIPE_ISSUE] += n * fmin(op_s, words * slot);
}

/* Operations of a block, less those that are done along with others. */
static double operations_of(const struct machine *m, uint32_t block, enum op_class op,
                            enum type_class type)
{
	const struct ir_summary *summary = m->input->kernel->summary;
	double n = (double)summary->emitted[block].operation[op][type];

	if (!(n > 0))
		return 0;
	if (op == OP_CLASS_ADD)
		n -= (double)summary->fused[block].add[type];
	if (op == OP_CLASS_BIT)
		n -= (double)summary->fused[block].bit[type];
	if (op == OP_CLASS_COMPARE)
		n -= (double)summary->fused[block].compare[type];
	return fmax(n, 0);
}

void add_warp_operations(const struct terms *t, uint32_t block, enum op_class op,
                         enum type_class type, struct arithmetic *a)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	double n = operations_of(m, block, op, type) * block_items(m, block), op_s;

	if (!(n > 0))
		return;
	op_s = n * device_op_time_s(device, OP_MODE_VECTOR, type, op);
	a->count[op][type] += n;
	a->time_s[op][type] += op_s;
	add_to_pipes(device, type, op, n, op_s / n, a->pipe);
}

static void add_block(const struct terms *t, uint32_t block, struct arithmetic *a)
{
	const struct machine *m = t->machine;
	double items = block_items(m, block);

	if (!(items > 0))
		return;
	if (is_jumped_to(m->input->kernel, block))
		a->pipe[PIPE_ISSUE] += items * (double)JUMP_SLOTS * slot_time(m->input->device);
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			add_warp_operations(t, block, (enum op_class)op, (enum type_class)type, a);
}

/* Iterations of a loop that is not unrolled, by what a compiler puts together. */
static double turns_of(const struct machine *m, const struct ir_loop *loop)
{
	uint32_t body = m->input->kernel->statements[loop->statement].body;

	return !loop->is_unrolled && body != IR_NONE ? block_items(m, body) / loop->unroll : 0;
}

void add_warp_turns(const struct terms *t, const struct ir_loop *loop, struct arithmetic *a)
{
	const struct device *device = t->machine->input->device;
	double turns = turns_of(t->machine, loop);

	a->pipe[PIPE_INTEGER] += turns * device_value(device, COEFFICIENT_LOOP_ITERATION, 0);
	a->pipe[PIPE_ISSUE] += turns * slot_time(device);
}

void add_warp_arithmetic(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	struct arithmetic a = {0};

	for (uint32_t block = 0; block < kernel->block_count; block++)
		add_block(t, block, &a);
	add_operation_rows(t, &a);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		a.iterations += turns_of(m, &kernel->summary->loops[i]);
	a.pipe[PIPE_ISSUE] += (a.iterations + accesses_issued(m)) * slot_time(m->input->device);
	add_pipes(t, &a);
}
