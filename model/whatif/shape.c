/* SPDX-License-Identifier: Apache-2.0 */
/* How accesses lie over work-items. */
#include "model/whatif/shape.h"

#include <math.h>

#include "model/passes/passes.h"

bool access_is_affine(const struct evaluation_access *access)
{
	return access->address.is_known && !access->address.is_random && access->unknown < 0.5;
}

bool access_is_of_argument(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                           uint32_t access)
{
	const struct ir_object *object = &kernel->objects[kernel->accesses[access].object];

	return object->space == SPACE_GLOBAL && object->argument != IR_NONE &&
	       evaluation->accesses[access].executions > 0 &&
	       kernel->accesses[access].kind != ACCESS_ATOMIC;
}

int64_t access_stride(const struct evaluation_access *access, unsigned dimension)
{
	int64_t stride = 0;

	for (unsigned i = 0; i < access->address.term_count; i++) {
		const struct affine_term *term = &access->address.terms[i];

		if (term->base != AFFINE_GLOBAL + dimension &&
		    term->base != AFFINE_LOCAL + dimension)
			continue;
		if (term->divisor != 1 || __builtin_add_overflow(stride, term->factor, &stride))
			return 0;
	}
	return stride;
}

double access_segments_least(const struct device *device, const struct evaluation_access *access)
{
	double segment = fmax(device_value(device, COEFFICIENT_SEGMENT_BYTES, 32), 1);

	return fmax(1, ceil(access->lanes * access->bytes / segment));
}

double access_sharers(const struct launch *launch, const struct evaluation_access *access)
{
	double sharers = 1;

	for (unsigned d = 0; d < launch->dimensions && d < 3; d++) {
		bool follows = false;

		for (unsigned i = 0; i < access->address.term_count; i++)
			follows |= access->address.terms[i].base == AFFINE_GLOBAL + d ||
			           access->address.terms[i].base == AFFINE_LOCAL + d;
		if (!follows)
			sharers *= (double)launch->local[d];
	}
	return sharers;
}

bool access_is_apart(const struct ir_kernel *kernel, const struct device *device,
                     const struct evaluation *evaluation, uint32_t access)
{
	const struct evaluation_access *a = &evaluation->accesses[access];
	int64_t stride = access_stride(a, 0);

	if (!access_is_of_argument(kernel, evaluation, access) || !access_is_affine(a) ||
	    fabs((double)stride) <= a->bytes)
		return false;
	return !device_is_lockstep(device) || a->segments >= 1.5 * access_segments_least(device, a);
}

static bool is_along(const struct affine_term *term)
{
	return term->base == AFFINE_GLOBAL || term->base == AFFINE_LOCAL ||
	       term->base == AFFINE_GROUP;
}

bool access_transpose(const struct launch *launch, const struct evaluation_access *access,
                      int64_t stride, struct affine *address)
{
	int64_t step = stride < 0 ? -stride : stride, element = (int64_t)access->bytes;
	int64_t count = (int64_t)launch->global[0], low, moved;

	*address = access->address;
	if (step <= element || element <= 0)
		return false;
	for (unsigned i = 0; i < address->term_count; i++) {
		struct affine_term *term = &address->terms[i];
		int64_t factor = term->factor < 0 ? -term->factor : term->factor;

		if (is_along(term)) {
			if (factor % step != 0)
				return false;
			term->factor = term->factor / step * element;
		} else if (factor < step &&
		           __builtin_mul_overflow(term->factor, count, &term->factor)) {
			return false;
		}
	}
	low = address->constant % step;
	if (__builtin_mul_overflow(low, count, &moved) ||
	    __builtin_add_overflow(address->constant - low, moved, &address->constant))
		return false;
	return true;
}

bool access_is_grid_stride(const struct launch *launch, const struct evaluation_access *access,
                           uint32_t loop, int64_t trips, struct affine *chunked)
{
	int64_t step = access_stride(access, 0), apart = 0;
	struct affine_term *term;
	bool is_found = false;

	*chunked = access->address;
	if (!access_is_affine(access) || launch->dimensions != 1 || step <= 0 ||
	    (double)step > access->bytes ||
	    __builtin_mul_overflow(step, (int64_t)launch->global[0], &apart))
		return false;
	for (unsigned i = 0; i < chunked->term_count; i++) {
		term = &chunked->terms[i];
		if (term->base == AFFINE_LOOP + loop && term->divisor == 1 &&
		    term->factor == apart) {
			term->factor = step;
			is_found = true;
		} else if (is_along(term) &&
		           __builtin_mul_overflow(term->factor, trips, &term->factor)) {
			return false;
		}
	}
	return is_found;
}

int64_t access_pitch(const struct evaluation_access *access)
{
	int64_t pitch = 0;

	for (unsigned i = 0; i < access->address.term_count; i++) {
		const struct affine_term *term = &access->address.terms[i];
		int64_t factor = term->factor < 0 ? -term->factor : term->factor;

		if (term->extent >= 8 && term->divisor == 1 && factor >= WHAT_IF_PITCH_BYTES &&
		    factor % WHAT_IF_PITCH_BYTES == 0 && (pitch == 0 || factor < pitch))
			pitch = factor;
	}
	return pitch;
}

double branch_least(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                    uint32_t branch, uint32_t side)
{
	const struct evaluation_block *of = &evaluation->blocks[side];
	double comes = evaluation->blocks[kernel->statements[branch].block].warp_executions;
	double warps = fmax((double)evaluation->group_warps, 1), active;

	if (!(comes > 0))
		return of->warp_executions;
	active = of->executions * (double)evaluation->group_items / comes;
	return fmin(ceil(active / fmax(evaluation->warp_items, 1) - 1e-9) / warps * comes,
	            of->warp_executions);
}

uint32_t block_outside(const struct ir_kernel *kernel, uint32_t block)
{
	const struct ir_summary *summary = kernel->summary;

	return kernel->statements[summary->loops[summary->block_loop[block]].statement].block;
}

double loop_share(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                  uint32_t statement)
{
	const struct ir_statement *loop = &kernel->statements[statement];
	const struct evaluation_block *body = &evaluation->blocks[loop->body];
	const struct evaluation_block *outer = &evaluation->blocks[loop->block];

	if (!(body->warp_executions > 0) || !(outer->executions > 0))
		return 0;
	return fmin(1, body->executions / body->warp_executions * outer->warp_executions /
	                       outer->executions);
}

/* Values that a term takes within one group. */
static double values_in_group(const struct launch *launch, const struct affine_term *term)
{
	double local = term->base < AFFINE_GROUP ? (double)launch->local[term->base % 3] : 1;

	if (term->base >= AFFINE_LOOP)
		return (double)term->extent;
	return fmax(1, fmin((double)term->extent, ceil(local / fmax((double)term->divisor, 1))));
}

/* Rows of which a group's places are, each `span` bytes long, `pitch` bytes apart. */
struct rows {
	double span, rows, pitch;
};

static struct rows rows_of(const struct launch *launch, const struct evaluation_access *access)
{
	struct rows rows = {access->bytes, 1, 0};
	uint32_t done = 0;

	for (unsigned n = 0; n < access->address.term_count; n++) {
		unsigned least = 0;
		double factor = HUGE_VAL, values;

		for (unsigned i = 0; i < access->address.term_count; i++) {
			double f = fabs((double)access->address.terms[i].factor);

			if ((done >> i & 1) == 0 && f < factor) {
				least = i;
				factor = f;
			}
		}
		done |= UINT32_C(1) << least;
		values = values_in_group(launch, &access->address.terms[least]);
		if (values <= 1)
			continue;
		if (rows.pitch == 0 && factor <= 2 * rows.span) {
			rows.span += factor * (values - 1);
		} else {
			rows.pitch = rows.pitch > 0 ? rows.pitch : factor;
			rows.rows += (values - 1) * fmax(1, floor(factor / rows.pitch + 0.5));
		}
	}
	return rows;
}

double object_group_bytes(const struct ir_kernel *kernel, const struct launch *launch,
                          const struct evaluation *evaluation, uint32_t object)
{
	const struct affine *first = NULL;
	struct rows all = {0};
	double low[2] = {0}, high[2] = {0};

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct evaluation_access *a = &evaluation->accesses[i];
		struct rows rows;
		double off, across;

		if (kernel->accesses[i].object != object ||
		    (!(a->executions > 0) && kernel->accesses[i].kind == ACCESS_LOAD))
			continue;
		if (kernel->accesses[i].kind != ACCESS_LOAD ||
		    !access_is_of_argument(kernel, evaluation, i) || !access_is_affine(a))
			return 0;
		rows = rows_of(launch, a);
		first = first ? first : &a->address;
		all.pitch = fmax(all.pitch, rows.pitch);
		all.span = fmax(all.span, rows.span);
		all.rows = fmax(all.rows, rows.rows);
		off = (double)a->address.constant - (double)first->constant;
		across = all.pitch > 0 ? floor(off / all.pitch + 0.5) : 0;
		off -= across * all.pitch;
		low[0] = fmin(low[0], off);
		high[0] = fmax(high[0], off);
		low[1] = fmin(low[1], across);
		high[1] = fmax(high[1], across);
	}
	return (all.span + high[0] - low[0]) * (all.rows + high[1] - low[1]);
}

double access_group_bytes(const struct launch *launch, const struct evaluation_access *access)
{
	struct rows rows = rows_of(launch, access);

	return rows.span * rows.rows;
}

bool block_is_within(const struct ir_kernel *kernel, uint32_t block, uint32_t outer)
{
	while (block != outer && kernel->blocks[block].owner != IR_NONE)
		block = kernel->statements[kernel->blocks[block].owner].block;
	return block == outer;
}

enum builtin builtin_native(unsigned builtin)
{
	switch (builtin) {
	case BUILTIN_SQRT:
		return BUILTIN_NATIVE_SQRT;
	case BUILTIN_RSQRT:
		return BUILTIN_NATIVE_RSQRT;
	case BUILTIN_EXP:
		return BUILTIN_NATIVE_EXP;
	case BUILTIN_EXP2:
		return BUILTIN_NATIVE_EXP2;
	case BUILTIN_EXP10:
		return BUILTIN_NATIVE_EXP10;
	case BUILTIN_LOG:
		return BUILTIN_NATIVE_LOG;
	case BUILTIN_LOG2:
		return BUILTIN_NATIVE_LOG2;
	case BUILTIN_LOG10:
		return BUILTIN_NATIVE_LOG10;
	case BUILTIN_POW:
	case BUILTIN_POWR:
		return BUILTIN_NATIVE_POWR;
	case BUILTIN_SIN:
	case BUILTIN_SINCOS_SIN:
		return BUILTIN_NATIVE_SIN;
	case BUILTIN_COS:
	case BUILTIN_SINCOS_COS:
		return BUILTIN_NATIVE_COS;
	case BUILTIN_TAN:
		return BUILTIN_NATIVE_TAN;
	case BUILTIN_COUNT:
		return BUILTIN_NATIVE_DIVIDE;
	default:
		return BUILTIN_COUNT;
	}
}

bool node_is_native_for(const struct ir_kernel *kernel, uint32_t node, uint32_t place)
{
	const struct ir_node *n = &kernel->nodes[node];

	if (n->type.scalar != SCALAR_FLOAT)
		return false;
	if (place == BUILTIN_COUNT)
		return n->op == NODE_DIV;
	if (n->op != NODE_CALL)
		return false;
	/* sincos is one call, of two results */
	return n->aux == place || (place == BUILTIN_SINCOS_SIN && n->aux == BUILTIN_SINCOS_COS);
}

bool node_is_scattered(const struct ir_kernel *kernel, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &kernel->nodes[node];
	const unsigned most = 8;

	if ((n->op == NODE_REM || n->op == NODE_AND) && type_is_integer(n->type) &&
	    !node_is_truth(&kernel->nodes[kernel_operands(kernel, node)[0]]))
		return true;
	for (unsigned i = 0; depth < most && i < n->operand_count; i++)
		if (node_is_scattered(kernel, kernel_operands(kernel, node)[i], depth + 1))
			return true;
	return false;
}

bool kernel_has_local(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].space == SPACE_LOCAL)
			return true;
	return false;
}

bool kernel_is_free_of_groups(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->node_count; i++) {
		uint8_t op = kernel->nodes[i].op;

		if (kernel->summary->node_block[i] == IR_NONE)
			continue;
		if (op == NODE_LOCAL_ID || op == NODE_GROUP_ID || op == NODE_LOCAL_SIZE ||
		    op == NODE_NUM_GROUPS || op == NODE_SUB_GROUP_SIZE)
			return false;
	}
	return kernel->required_local[0] == 0 && !kernel->summary->has_barrier &&
	       !kernel_has_local(kernel);
}

unsigned loop_real_sums(const struct ir_kernel *kernel, const struct ir_statement *loop)
{
	unsigned sums = 0;

	for (uint32_t v = 0; loop->kind == STATEMENT_LOOP && v < loop->variable_count; v++)
		sums += type_is_real(
		        kernel->nodes[kernel->variables[loop->first_variable + v].node].type);
	return sums;
}

bool kernel_sees_ndrange(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (kernel->summary->node_block[i] != IR_NONE &&
		    (kernel->nodes[i].op == NODE_GLOBAL_SIZE ||
		     kernel->nodes[i].op == NODE_NUM_GROUPS))
			return true;
	return false;
}

bool node_divides(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *of = &kernel->nodes[node];
	int64_t value;

	return (of->op == NODE_DIV || of->op == NODE_REM) && type_is_integer(of->type) &&
	       of->type.width == 1 && type_bytes(of->type) <= 4 &&
	       !kernel_constant(kernel, kernel_operands(kernel, node)[1], &value);
}
