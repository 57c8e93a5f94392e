/* SPDX-License-Identifier: Apache-2.0 */
/* Affine forms of addresses: of nodes, from those of their operands. */
#include "model/evaluate/addresses.h"

#include <math.h>
#include <stdlib.h>

#include "model/evaluate/amortised.h"

static const struct affine UNKNOWN = {0};

struct affine_pass {
	const struct lanes *lanes;
	const struct evaluation *result; /* its loops have their trips */
	struct affine *forms;            /* per slot */
	unsigned *fits;                  /* made so far */
};

static struct affine random_form(void)
{
	return (struct affine){.is_known = true, .is_random = true};
}

/*
 * lid + lsize * grp is the global id: so that it can be divided as one number.
 * requires the group's size of each dimension
 */
static struct affine join_ids(const struct affine_pass *pass, const struct affine *a)
{
	const struct launch *launch = pass->lanes->question->launch;
	struct affine joined = *a;

	for (unsigned d = 0; d < 3; d++) {
		struct affine_term local = {AFFINE_LOCAL + d, 1, launch->local[d], 0};
		struct affine_term group = {AFFINE_GROUP + d, 1,
		                            pass->lanes->question->sizes->group_count[d], 0};
		struct affine_term global = {AFFINE_GLOBAL + d, 1, launch->global[d], 0};
		int64_t factor = 0, wanted;
		bool has_group = false;

		for (unsigned i = 0; i < joined.term_count; i++)
			if (affine_term_is_same(&joined.terms[i], &local))
				factor = joined.terms[i].factor;
		if (factor == 0 || launch->local[d] > INT64_MAX ||
		    __builtin_mul_overflow(factor, (int64_t)launch->local[d], &wanted))
			continue;
		for (unsigned i = 0; i < joined.term_count; i++)
			has_group |= affine_term_is_same(&joined.terms[i], &group) &&
			             joined.terms[i].factor == wanted;
		if (!has_group)
			continue;
		local.factor = -factor;
		group.factor = -wanted;
		global.factor = factor;
		if (!affine_add_term(&joined, &local) || !affine_add_term(&joined, &group) ||
		    !affine_add_term(&joined, &global))
			return *a;
	}
	return joined;
}

static struct affine id_form(const struct affine_pass *pass, const struct ir_node *n)
{
	const struct launch *launch = pass->lanes->question->launch;
	unsigned d = n->aux < 3 ? n->aux : 0;
	struct affine form = affine_constant(0);
	struct affine_term term = {AFFINE_GLOBAL + d, 1, launch->global[d], 1};

	if (n->op == NODE_LOCAL_ID) {
		term.base = AFFINE_LOCAL + d;
		term.extent = launch->local[d];
	} else if (n->op == NODE_GROUP_ID) {
		term.base = AFFINE_GROUP + d;
		term.extent = pass->lanes->question->sizes->group_count[d];
	} else if (launch->offset[d] <= INT64_MAX) {
		form.constant = (int64_t)launch->offset[d];
	}
	affine_add_term(&form, &term);
	return form;
}

static const struct affine *form_of(const struct affine_pass *pass, uint32_t node)
{
	if (!lanes_has(pass->lanes, node))
		return &UNKNOWN;
	return &pass->forms[pass->lanes->schedule->slot[node]];
}

/* A node that is the same for all work-items and known. */
static bool uniform_value(const struct lanes *lanes, uint32_t node, int64_t *value)
{
	if (!lanes_has(lanes, node) || (lanes->schedule->flags[node] & SCHEDULE_VARIES) ||
	    !type_is_integer(lanes->kernel->nodes[node].type) ||
	    lanes_known(lanes, node)[0] != NUMBER_KNOWN)
		return false;
	*value = lanes_value(lanes, node)[0];
	return true;
}

/* Where a row begins: its index times the mean length. */
static struct affine row_form(const struct affine_pass *pass, const struct ir_access *access)
{
	const struct rows *rows = pass->lanes->schedule->rows;
	struct affine form = UNKNOWN, start;
	int64_t mean;

	if (!rows_has(pass->lanes->schedule->rows, access) || rows->mean < 1 || rows->mean > 1e9)
		return form;
	mean = llround(rows->mean);
	form = affine_scale(form_of(pass, access->index), mean);
	start = affine_constant(rows->low + access->offset_bytes / access->scale_bytes * mean);
	form = affine_add(&form, &start);
	form.is_rough |= form.is_known;
	return form;
}

/* Whether data have a part in a node: of what nobody knows, or of what was sampled. */
static bool is_data(const struct affine_pass *pass, uint32_t node)
{
	return pass->lanes->schedule->flags[node] & (SCHEDULE_TAINTED | SCHEDULE_HELD);
}

/*
 * What was sampled: along its index where it grows with its place, and, but in order, by as much as
 * neighbours differ beside it; else anything.
 */
static struct affine held_form(const struct affine_pass *pass, const struct ir_access *access)
{
	struct held *held = question_held(pass->lanes->question, access);
	struct affine index, form, first;
	double slope, spread, elements;

	if (!held || !type_is_integer(type_scalar((enum scalar)held->scalar)))
		return UNKNOWN;
	held_prepare(held);
	if (!(held->low < held->high) && fabs(held->low) < 1e15)
		return affine_constant((int64_t)held->low);
	index = access->index == IR_NONE ? UNKNOWN : *form_of(pass, access->index);
	if (!index.is_known || index.is_random || !held_trend(held, &slope, &spread))
		return random_form();
	elements = 1.0 / scalar_bytes((enum scalar)held->scalar);
	first = affine_constant(llround(fmin(
	        fmax(held->runs[0].first + (double)access->offset_bytes * elements * slope, -1e15),
	        1e15)));
	slope *= access->scale_bytes * elements;
	if (!(fabs(slope) < 1e9) || !(fabs(slope) > 1e-9))
		return random_form();
	if (fabs(slope) >= 1)
		form = affine_scale(&index, llround(slope));
	else
		form = affine_divide(&index, llround(1 / fabs(slope)));
	if (slope < 0 && slope > -1)
		form = affine_scale(&form, -1);
	form = affine_add(&form, &first);
	if (!form.is_known)
		return random_form();
	form.is_rough = held->order != SAMPLE_UNORDERED;
	form.is_random = held->order == SAMPLE_UNORDERED;
	return form;
}

/*
 * A variable that data move on, or leave where it is: along its loop as far as it gets in the mean;
 * the top of a stack stays about where it was. Anything else is anywhere.
 */
static struct affine drifting_form(const struct affine_pass *pass,
                                   const struct ir_variable *variable, const struct affine *init,
                                   uint32_t loop)
{
	double advance = variable_advance(pass->lanes->schedule, variable);
	double trips = pass->result->loops[loop].trips;
	struct affine form = *init;
	struct affine_term term = {AFFINE_LOOP + loop, 1, 1, 1};

	form.is_rough = true;
	if (!(advance > 0))
		return pops_has(pass->lanes->schedule, variable) ? form : random_form();
	if (!(trips * advance > 1) || !(trips < 1e18) || !(advance < 1e9))
		return form;
	if (advance < 1)
		term.divisor = (uint64_t)llround(1 / advance);
	else
		term.factor = llround(advance);
	term.extent = (uint64_t)ceil(trips / (double)term.divisor);
	return affine_add_term(&form, &term) ? form : random_form();
}

static struct affine variable_form(const struct affine_pass *pass, uint32_t node)
{
	const struct lanes *lanes = pass->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	uint32_t loop = lanes->schedule->list[node] - 1;
	bool is_tainted = is_data(pass, node);
	const struct ir_variable *variable = NULL;
	const struct ir_statement *s;
	struct affine_term term = {AFFINE_LOOP + loop, 1, 1, 0};
	struct affine form;
	uint32_t step_node;
	int64_t step = 0;
	double trips;
	int sign;

	if (lanes->schedule->list[node] == 0)
		return UNKNOWN;
	s = &kernel->statements[lanes->kernel->summary->loops[loop].statement];
	for (uint32_t i = 0; i < s->variable_count && !variable; i++)
		if (kernel->variables[s->first_variable + i].node == node)
			variable = &kernel->variables[s->first_variable + i];
	if (!variable)
		return UNKNOWN;
	form = *form_of(pass, variable->init);
	sign = variable_step(lanes->schedule, variable, &step_node);
	if (sign == 0 && form.is_known && is_tainted)
		return drifting_form(pass, variable, &form, loop);
	if (sign == 0 || !form.is_known ||
	    (step_node != IR_NONE && !uniform_value(lanes, step_node, &step)))
		return is_tainted ? random_form() : UNKNOWN;
	trips = pass->result->loops[loop].trips;
	if (trips > 1)
		term.extent = trips < 1e18 ? (uint64_t)(trips + 0.999) : (uint64_t)1e18;
	if (kernel->nodes[variable->node].type.scalar == SCALAR_UINT && step > INT32_MAX)
		step -= (int64_t)1 << 32; /* a step back */
	if (sign < 0 && __builtin_sub_overflow((int64_t)0, step, &step))
		return UNKNOWN;
	term.factor = step;
	return affine_add_term(&form, &term) ? form : UNKNOWN;
}

/* One of two values by a condition: at the edges the constant one, mostly the other. */
static struct affine choose_form(const struct affine *a, const struct affine *b)
{
	struct affine chosen;

	if (!a->is_known || !b->is_known)
		return UNKNOWN;
	if (affine_is_parallel(a, b) && a->constant == b->constant)
		return *a;
	chosen = a->is_random || (!b->is_random && a->term_count >= b->term_count) ? *a : *b;
	chosen.is_rough = true;
	return chosen;
}

static struct affine bound_form(bool is_max, const struct affine *a, const struct affine *b)
{
	int64_t low, high;

	if (a->is_known && b->is_known && !a->is_random && !b->is_random && a->term_count > 0 &&
	    b->term_count == 0 && affine_range(a, &low, &high)) {
		if (is_max ? low >= b->constant : high <= b->constant)
			return *a;
		if (is_max ? high <= b->constant : low >= b->constant)
			return *b;
	}
	return choose_form(a, b);
}

static struct affine convert_form(const struct affine *a, struct type type)
{
	unsigned bits = scalar_bytes((enum scalar)type.scalar) * 8;
	struct affine form = *a;
	int64_t low, high;

	if (!a->is_known || !type_is_integer(type) || type.scalar == SCALAR_BOOL)
		return UNKNOWN;
	if (bits >= 64 || a->is_random || !affine_range(a, &low, &high))
		return form;
	if (type_is_signed(type)) {
		if (low >= -((int64_t)1 << (bits - 1)) && high < (int64_t)1 << (bits - 1))
			return form;
	} else if (low >= 0 && high < (int64_t)1 << bits) {
		return form;
	}
	if (bits < 32)
		return low >= 0 && !type_is_signed(type) ? affine_remainder(a, (int64_t)1 << bits)
		                                         : UNKNOWN;
	form.is_rough = true; /* an edge that wraps */
	return form;
}

static struct affine binary_form(const struct affine_pass *pass, uint32_t node,
                                 const struct ir_node *n, const uint32_t *operands)
{
	const struct affine *a = form_of(pass, operands[0]), *b = form_of(pass, operands[1]);
	struct affine left = *a, right = *b;
	int64_t value;

	(void)node;
	switch (n->op) {
	case NODE_ADD:
	case NODE_SUB:
		/* a large unsigned constant is a small step back */
		if (n->type.scalar == SCALAR_UINT && right.term_count == 0 &&
		    right.constant > INT32_MAX)
			right.constant -= (int64_t)1 << 32;
		if (n->type.scalar == SCALAR_UINT && left.term_count == 0 &&
		    left.constant > INT32_MAX)
			left.constant -= (int64_t)1 << 32;
		if (n->op == NODE_SUB)
			right = affine_scale(&right, -1);
		return affine_add(&left, &right);
	case NODE_MUL:
		if (uniform_value(pass->lanes, operands[1], &value))
			return affine_scale(a, value);
		if (uniform_value(pass->lanes, operands[0], &value))
			return affine_scale(b, value);
		break;
	case NODE_SHL:
		if (uniform_value(pass->lanes, operands[1], &value) && value >= 0 && value < 62)
			return affine_scale(a, (int64_t)1 << value);
		break;
	case NODE_SHR:
		if (uniform_value(pass->lanes, operands[1], &value) && value >= 0 && value < 62 &&
		    !a->is_random) {
			left = join_ids(pass, a);
			return affine_divide(&left, (int64_t)1 << value);
		}
		break;
	case NODE_DIV:
	case NODE_REM:
		if (uniform_value(pass->lanes, operands[1], &value) && value > 0 && !a->is_random) {
			left = join_ids(pass, a);
			return n->op == NODE_DIV ? affine_divide(&left, value)
			                         : affine_remainder(&left, value);
		}
		break;
	case NODE_AND:
		for (unsigned i = 0; i < 2; i++)
			if (uniform_value(pass->lanes, operands[1 - i], &value) && value > 0 &&
			    value < INT64_MAX && (value & (value + 1)) == 0 &&
			    !form_of(pass, operands[i])->is_random) {
				left = join_ids(pass, form_of(pass, operands[i]));
				return affine_remainder(&left, value + 1);
			}
		break;
	case NODE_MIN:
	case NODE_MAX:
		return a->term_count > 0 ? bound_form(n->op == NODE_MAX, a, b)
		                         : bound_form(n->op == NODE_MAX, b, a);
	default:
		break;
	}
	return UNKNOWN;
}

/* Each looks at every sampled work-item; a kernel of more real coordinates has few like it. */
enum { FITS_MAX = 256 };

/*
 * A texel along one dimension, as multiples of the global ids, from the values that the
 * sampled work-items have: good for reals, whose computation has no form here. Steps
 * below one are parts of an id. Unknown where that is off by more than a texel anywhere.
 */
static struct affine fitted_form(const struct affine_pass *pass, uint32_t coordinate, double size)
{
	const struct lanes *lanes = pass->lanes;
	const uint8_t *known = lanes_known(lanes, coordinate);
	struct affine form;
	double step[3] = {0}, base = 0, far = 0;

	if (lanes->schedule->list[coordinate] != 0 || *pass->fits >= FITS_MAX)
		return UNKNOWN;
	++*pass->fits;
	for (unsigned i = 0; i < lanes->count; i++)
		if (lanes->sampled->is_lane[i] && known[i] != NUMBER_KNOWN)
			return UNKNOWN;
	if (!lanes_slopes(lanes, coordinate, size, &base, step, &far) || !(far <= 1))
		return UNKNOWN;
	form = affine_constant((int64_t)floor(base));
	form.is_rough = true;
	for (unsigned d = 0; d < 3; d++) {
		struct affine_term term = {AFFINE_GLOBAL + d, 1, lanes->question->launch->global[d],
		                           0};
		double size_of_step = fabs(step[d]);

		if (!(size_of_step < 1e15))
			return UNKNOWN;
		if (size_of_step * (double)term.extent < 1)
			continue;
		if (size_of_step >= 1) {
			term.factor = (int64_t)round(size_of_step);
		} else {
			term.factor = 1;
			term.divisor = (uint64_t)round(1 / size_of_step);
			term.extent = (term.extent + term.divisor - 1) / term.divisor;
		}
		if (step[d] < 0)
			term.factor = -term.factor;
		if (!affine_add_term(&form, &term))
			return UNKNOWN;
	}
	return form;
}

enum { REAL_SUMS_MAX = 4 }; /* within one another */

/* A coordinate in texels; scale: the image's size along it, where the sampler counts the whole. */
static struct affine coordinate_form(const struct affine_pass *pass, uint32_t node, double scale,
                                     unsigned depth)
{
	const struct ir_kernel *kernel = pass->lanes->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel->operands + n->first_operand;
	struct affine form, other;

	if (!lanes_has(pass->lanes, node))
		return UNKNOWN;
	if (type_is_integer(n->type))
		return *form_of(pass, node);
	if (n->op == NODE_CONST_REAL) {
		double value = floor(number_real((int64_t)n->imm) * scale);

		return fabs(value) < 1e15 ? affine_constant((int64_t)value) : UNKNOWN;
	}
	form = fitted_form(pass, node, scale);
	if (form.is_known)
		return form;
	if (n->op == NODE_CONVERT && scale <= 1)
		return coordinate_form(pass, operands[0], scale, depth + 1);
	if (n->op == NODE_ADD && depth < REAL_SUMS_MAX) {
		form = coordinate_form(pass, operands[0], scale, depth + 1);
		other = coordinate_form(pass, operands[1], scale, depth + 1);
		form = affine_add(&form, &other);
	}
	if (!form.is_known && is_data(pass, node))
		return random_form();
	return form;
}

static struct affine texel_form(const struct affine_pass *pass, const struct ir_node *n,
                                const uint32_t *operands)
{
	const struct lanes *lanes = pass->lanes;
	uint32_t number = lanes->kernel->objects[n->aux].argument;
	const struct launch_argument *image = &lanes->question->launch->arguments[number];
	const uint32_t sizes[3] = {image->width, image->height, image->depth};
	unsigned count = n->imm & TEXEL_COORDINATES;
	unsigned dimensions =
	        image_dimensions((enum image_kind)lanes->kernel->arguments[number].image);
	struct affine sum = affine_constant(0);
	int64_t stride = 1, sampler = 0;

	if (n->operand_count > count)
		(void)uniform_value(lanes, operands[count], &sampler);
	for (unsigned i = 0; i < count; i++) {
		bool is_scaled = i < dimensions && (sampler & SAMPLER_NORMALIZED);
		struct affine form =
		        coordinate_form(pass, operands[i], is_scaled ? (double)sizes[i] : 1, 0);

		form = affine_scale(&form, stride);
		sum = affine_add(&sum, &form);
		stride *= sizes[i] > 0 ? sizes[i] : 1;
	}
	sum.is_rough = sum.is_known; /* clamped at the edges */
	return sum;
}

/* ---- positions in reals ---------------------------------------------------------------------- */

enum { POSITION_DEPTH_MAX = 24 };

static struct affine position_form(const struct affine_pass *pass, uint32_t node, unsigned lane,
                                   unsigned depth);

/* The operand of a vector that has one of its lanes; *lane: which lane of that. */
static uint32_t operand_of_lane(const struct ir_kernel *kernel, const struct ir_node *n,
                                unsigned *lane)
{
	const uint32_t *operands = kernel->operands + n->first_operand;

	if (n->op == NODE_SWIZZLE)
		*lane = (unsigned)(n->imm >> (4 * (*lane & 15))) & 15;
	else if (n->op == NODE_SPLAT)
		*lane = 0;
	for (unsigned i = 0; n->op == NODE_VECTOR && i < n->operand_count; i++) {
		unsigned width = kernel->nodes[operands[i]].type.width;

		if (*lane < width)
			return operands[i];
		*lane -= width;
	}
	return n->op == NODE_VECTOR ? IR_NONE : operands[0];
}

/* A real, rounded; what is no integer is rough. */
static struct affine real_form(double value)
{
	struct affine form = UNKNOWN;

	if (fabs(value) < 1e15) {
		form = affine_constant(llround(value));
		form.is_rough = value != round(value);
	}
	return form;
}

/* A product with an integer, or of what data say alone. */
static struct affine product_form(const struct affine *a, const struct affine *b)
{
	struct affine form = UNKNOWN;

	if (a->is_known && b->is_known && a->term_count == 0 && b->term_count == 0) {
		form = affine_constant(a->constant * b->constant);
		form.is_random = a->is_random || b->is_random;
		form.is_rough = a->is_rough || b->is_rough;
	} else if (a->term_count == 0 && !a->is_random && !a->is_rough) {
		form = affine_scale(b, a->constant);
	} else if (b->term_count == 0 && !b->is_random && !b->is_rough) {
		form = affine_scale(a, b->constant);
	}
	return form.is_known && a->is_known && b->is_known ? form : UNKNOWN;
}

/* Rounded, a real position goes where the integer does that it was made from. */
static struct affine call_form(const struct affine_pass *pass, const struct ir_node *n,
                               unsigned lane, unsigned depth)
{
	const uint32_t *operands = pass->lanes->kernel->operands + n->first_operand;
	bool is_rounding = n->aux == BUILTIN_FLOOR || n->aux == BUILTIN_CEIL ||
	                   n->aux == BUILTIN_RINT || n->aux == BUILTIN_ROUND ||
	                   n->aux == BUILTIN_TRUNC;
	struct affine form = affine_constant(0), other;

	for (unsigned i = 0; i < n->operand_count && form.is_known; i++) {
		other = position_form(pass, operands[i], lane, depth);
		form = affine_add(&form, &other);
	}
	return is_rounding || !form.is_known || form.term_count == 0 ? form : UNKNOWN;
}

/*
 * Where an index is that reals and vectors of them are reckoned for: `convert_int2(place - dt *
 * velocity[i])` goes along with place, and by what data say beside it: a little, since what is
 * displaced, warped or traced comes from around where it goes to. Random where only data say where.
 */
static struct affine position_form(const struct affine_pass *pass, uint32_t node, unsigned lane,
                                   unsigned depth)
{
	const struct lanes *lanes = pass->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel->operands + n->first_operand;
	struct affine form[3] = {UNKNOWN, UNKNOWN, UNKNOWN};

	if (depth >= POSITION_DEPTH_MAX || !question_looks(lanes->question))
		return UNKNOWN;
	if (depth > 0 && n->type.width == 1 && type_is_integer(n->type) && lanes_has(lanes, node))
		return *form_of(pass, node);
	depth++;
	switch (n->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
	case NODE_GROUP_ID:
		return id_form(pass, n);
	case NODE_CONST_INT:
		return affine_constant((int64_t)n->imm);
	case NODE_CONST_REAL:
		return real_form(number_real((int64_t)n->imm));
	case NODE_ARG:
		return lanes_has(lanes, node) ? real_form(number_real(lanes_value(lanes, node)[0]))
		                              : real_form(0.5);
	case NODE_LOAD:
		return random_form();
	case NODE_CALL:
		return call_form(pass, n, lane, depth);
	case NODE_SWIZZLE:
	case NODE_SPLAT:
	case NODE_VECTOR:
	case NODE_CONVERT:
		node = operand_of_lane(kernel, n, &lane);
		return node == IR_NONE ? UNKNOWN : position_form(pass, node, lane, depth);
	default:
		break;
	}
	for (unsigned i = 0; i < n->operand_count && i < 3; i++)
		form[i] = position_form(pass, operands[i], lane, depth);
	switch (n->op) {
	case NODE_NEG:
		return affine_scale(&form[0], -1);
	case NODE_ADD:
		return affine_add(&form[0], &form[1]);
	case NODE_SUB:
		form[1] = affine_scale(&form[1], -1);
		return affine_add(&form[0], &form[1]);
	case NODE_MUL:
		return product_form(&form[0], &form[1]);
	case NODE_FMA:
		form[0] = product_form(&form[0], &form[1]);
		return affine_add(&form[0], &form[2]);
	case NODE_MIN:
	case NODE_MAX:
		return form[0].term_count > 0 ? choose_form(&form[0], &form[1])
		                              : choose_form(&form[1], &form[0]);
	default:
		return UNKNOWN;
	}
}

/* ---- nodes ------------------------------------------------------------------------------------
 */

static struct affine node_form(const struct affine_pass *pass, uint32_t node)
{
	const struct lanes *lanes = pass->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel->operands + n->first_operand;
	struct affine form = UNKNOWN, other;
	int64_t value;

	if (n->type.width != 1 || !type_is_integer(n->type))
		return is_data(pass, node) ? random_form() : UNKNOWN;
	if (uniform_value(lanes, node, &value))
		return affine_constant(value);
	switch (n->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
	case NODE_GROUP_ID:
		return id_form(pass, n);
	case NODE_LOOP_VAR:
		return variable_form(pass, node);
	case NODE_LOAD:
		form = row_form(pass, &kernel->accesses[n->aux]);
		if (!form.is_known)
			form = held_form(pass, &kernel->accesses[n->aux]);
		break;
	case NODE_PHI:
	case NODE_SELECT:
		if (uniform_value(lanes, operands[0], &value))
			form = *form_of(pass, operands[value ? 1 : 2]);
		else
			form = choose_form(form_of(pass, operands[1]), form_of(pass, operands[2]));
		break;
	case NODE_FMA:
		if (uniform_value(lanes, operands[1], &value))
			other = affine_scale(form_of(pass, operands[0]), value);
		else if (uniform_value(lanes, operands[0], &value))
			other = affine_scale(form_of(pass, operands[1]), value);
		else
			break;
		form = affine_add(&other, form_of(pass, operands[2]));
		break;
	case NODE_NEG:
		form = affine_scale(form_of(pass, operands[0]), -1);
		break;
	case NODE_CONVERT:
		if (type_is_real(kernel->nodes[operands[0]].type))
			break; /* a position, below */
		form = convert_form(form_of(pass, operands[0]), n->type);
		break;
	case NODE_BITCAST:
		form = convert_form(form_of(pass, operands[0]), n->type);
		break;
	case NODE_TEXEL:
		form = texel_form(pass, n, operands);
		break;
	case NODE_SWIZZLE:
		if (lanes->schedule->alias[node] != IR_NONE &&
		    kernel->nodes[lanes->schedule->alias[node]].type.width == 1)
			form = *form_of(pass, lanes->schedule->alias[node]);
		break;
	default:
		if (n->operand_count == 2)
			form = binary_form(pass, node, n, operands);
		break;
	}
	if (!form.is_known && is_data(pass, node)) {
		form = position_form(pass, node, 0, 0);
		if (!form.is_known || form.term_count == 0)
			return random_form();
		form.is_random = false;
		form.is_rough = true;
	}
	return form;
}

bool affine_run(const struct lanes *lanes, struct evaluation *result)
{
	const struct ir_kernel *kernel = lanes->kernel;
	unsigned fits = 0;
	struct affine_pass pass = {
	        .lanes = lanes,
	        .result = result,
	        .forms = calloc((size_t)lanes->schedule->slot_count + 1,
	                        sizeof(*pass.forms)), /* UNKNOWN */
	        .fits = &fits,
	};

	if (!pass.forms)
		return false;
	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (lanes_has(lanes, node))
			pass.forms[lanes->schedule->slot[node]] = node_form(&pass, node);
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		struct affine form = affine_constant(0),
		              offset = affine_constant(access->offset_bytes);

		int64_t scale = access->scale_bytes;

		if (kernel->objects[access->object].space == SPACE_IMAGE)
			scale = (int64_t)result->accesses[i].bytes;
		if (access->index != IR_NONE)
			form = affine_scale(form_of(&pass, access->index), scale);
		result->accesses[i].address = affine_add(&form, &offset);
	}
	free(pass.forms);
	return true;
}
