/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to an evaluation: what accesses touch, and which warps run, where a layout is another. */
#include <math.h>

#include "model/passes/passes.h"
#include "model/whatif/shape.h"

/* What separates rows that were a power of two apart: a line of a CPU's caches. */
enum { PITCH_PAD_BYTES = 64 };

/* Neighbours lie beside each other, and the first one where a line begins. */
static void set_coalesced(const struct device *device, const struct evaluation *evaluation,
                          struct evaluation_access *a)
{
	double span = fmax(a->lanes, 1) * a->bytes, page = 4096;
	double segment = fmax(device_value(device, COEFFICIENT_SEGMENT_BYTES, 32), 1);

	for (unsigned i = 0; i < EVALUATE_LINES; i++)
		a->lines[i] = fmax(1, ceil(span / EVALUATE_LINE_BYTES(i)));
	a->segments = fmax(1, ceil(span / segment));
	a->pages = fmax(1, ceil(span / page));
	a->addresses = fmax(a->lanes, 1);
	a->came.sectors = a->lines[0];
	a->came.lines = a->lines[2];
	a->came.addresses = a->addresses;
	a->ways = fmax(1, evaluation->warp_items * a->bytes / segment);
	a->unit = 1;
	a->uniform = 0;
}

static void transpose(const struct ir_kernel *kernel, const struct device *device,
                      const struct launch *launch, const struct what_if *what_if,
                      struct evaluation *evaluation)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];
		struct affine address;

		if (kernel->accesses[i].object != what_if->place ||
		    !access_is_apart(kernel, device, evaluation, i) ||
		    !access_transpose(launch, a, access_stride(a, 0), &address))
			continue;
		a->address = address;
		set_coalesced(device, evaluation, a);
	}
}

static void align(const struct ir_kernel *kernel, const struct device *device,
                  const struct what_if *what_if, struct evaluation *evaluation)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];

		if (kernel->accesses[i].object != what_if->place || a->unit < 0.5 ||
		    !access_is_affine(a))
			continue;
		if (__builtin_sub_overflow(a->address.constant, (int64_t)what_if->detail,
		                           &a->address.constant))
			continue;
		set_coalesced(device, evaluation, a);
	}
}

/* The store to local memory and the load from it find no conflict: rows of a tile are padded. */
static void stage(const struct ir_kernel *kernel, const struct device *device,
                  const struct launch *launch, const struct what_if_change *change,
                  struct evaluation *evaluation)
{
	struct evaluation_block *inner = &evaluation->blocks[change->first_block];
	uint32_t branch = kernel->blocks[change->first_block].owner;
	const struct evaluation_block *outer =
	        &evaluation->blocks[kernel->statements[branch].block];
	double most = 0;

	for (uint32_t i = change->first_access; i + 1 < kernel->access_count; i += 2) {
		struct evaluation_access *load = &evaluation->accesses[i];
		struct evaluation_access *store = &evaluation->accesses[i + 1];
		uint32_t global = kernel->nodes[kernel->accesses[i + 1].value].aux;
		struct evaluation_access *a = &evaluation->accesses[global];
		double share = 1 / fmax(access_sharers(launch, a), 1);

		a->executions = store->executions = outer->executions * share;
		a->warp_executions = store->warp_executions = outer->warp_executions * share;
		a->lanes = store->lanes = load->lanes;
		set_coalesced(device, evaluation, a);
		load->ways = store->ways = 1;
		most = fmax(most, share);
	}
	inner->executions = outer->executions * most;
	inner->warp_executions = outer->warp_executions * most;
	inner->doubt = 0;
}

/* A group's work-items bring a table, or add it up, each its part. */
static void fill(const struct ir_kernel *kernel, const struct device *device,
                 const struct what_if *what_if, const struct what_if_change *change,
                 struct evaluation *evaluation)
{
	for (uint32_t i = change->first_access; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];
		double ways = a->ways;

		a->executions = what_if->detail /
		                (fmax(a->bytes, 1) * fmax((double)evaluation->group_items, 1));
		a->warp_executions = a->executions;
		if (kernel->accesses[i].kind != ACCESS_ATOMIC)
			set_coalesced(device, evaluation, a);
		if (kernel->objects[kernel->accesses[i].object].space == SPACE_LOCAL)
			a->ways = ways;
	}
}

/* A group's work-items exchange what they access: along the other dimension. */
static void tile(const struct ir_kernel *kernel, const struct device *device,
                 const struct what_if *what_if, const struct what_if_change *change,
                 struct evaluation *evaluation)
{
	struct evaluation_access *a = &evaluation->accesses[what_if->place];
	struct affine form = a->address;

	form.term_count = 0;
	for (unsigned i = 0; i < a->address.term_count; i++) {
		struct affine_term term = a->address.terms[i];

		if (term.base < AFFINE_LOOP && term.base % 3 < 2)
			term.base = term.base / 3 * 3 + (1 - term.base % 3);
		if (!affine_add_term(&form, &term))
			return;
	}
	a->address = form;
	set_coalesced(device, evaluation, a);
	for (uint32_t i = change->first_access; i < kernel->access_count; i++)
		evaluation->accesses[i].ways = 1;
}

static void pad(const struct ir_kernel *kernel, uint32_t object, struct evaluation *evaluation)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object &&
		    kernel->accesses[i].kind != ACCESS_ATOMIC)
			evaluation->accesses[i].ways = 1;
}

static void change_pitch(const struct ir_kernel *kernel, const struct device *device,
                         const struct what_if *what_if, struct evaluation *evaluation)
{
	int64_t pitch = (int64_t)what_if->detail;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];
		struct affine *address = &a->address;

		if (kernel->accesses[i].object != what_if->place)
			continue;
		for (unsigned t = 0; t < address->term_count; t++)
			if (address->terms[t].factor % pitch == 0)
				address->terms[t].factor +=
				        address->terms[t].factor / pitch * PITCH_PAD_BYTES;
		if (address->constant % pitch == 0)
			address->constant += address->constant / pitch * PITCH_PAD_BYTES;
		if (device_is_lockstep(device) && access_is_apart(kernel, device, evaluation, i))
			a->ways = fmin(a->ways, evaluate_turns(device, access_stride(a, 0),
			                                       a->bytes, a->lanes));
	}
}

/* The side of a branch that a block is in; IR_NONE: none. */
static uint32_t side_of(const struct ir_kernel *kernel, uint32_t block, uint32_t branch)
{
	while (block != IR_NONE && kernel->blocks[block].owner != branch)
		block = kernel->blocks[block].owner == IR_NONE
		                ? IR_NONE
		                : kernel->statements[kernel->blocks[block].owner].block;
	return block;
}

/* Lanes of an access fill fewer warps: that share of them. */
static void gather(const struct evaluation *evaluation, struct evaluation_access *a, double r)
{
	a->warp_executions *= r;
	a->lanes = fmin(a->lanes / r, evaluation->warp_items);
	a->segments /= r;
	for (unsigned line = 0; line < EVALUATE_LINES; line++)
		a->lines[line] /= r;
	a->pages /= r;
	a->addresses /= r;
	a->came.sectors /= r;
	a->came.lines /= r;
	a->came.addresses /= r;
}

/* Neighbours are any work-items: each has places of its own. */
static void scatter(const struct device *device, struct evaluation_access *a)
{
	const int64_t apart = WHAT_IF_LINE_BYTES;

	for (unsigned line = 0; line < EVALUATE_LINES; line++)
		a->lines[line] = a->lanes;
	a->segments = a->addresses = a->lanes;
	a->came.sectors = a->came.lines = a->came.addresses = a->lanes;
	a->ways = fmax(a->ways, evaluate_turns(device, apart, a->bytes, a->lanes));
	a->unit = 0;
}

/* Work-items of a warp go through a loop equally often: they are in another order, that of how
 * often they do. */
static void balance(const struct ir_kernel *kernel, const struct device *device, uint32_t loop,
                    struct evaluation *evaluation)
{
	double r = loop_share(kernel, evaluation, loop);

	if (!(r > 0) || r >= 1)
		return;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];
		uint32_t block = kernel->summary->access_block[i];

		if (block != IR_NONE && kernel_is_within(kernel, block, loop))
			gather(evaluation, a, r);
		if (access_is_of_argument(kernel, evaluation, i) && a->unit > 0.5)
			scatter(device, a);
	}
	for (uint32_t i = 0; i < kernel->block_count; i++)
		if (kernel_is_within(kernel, i, loop))
			evaluation->blocks[i].warp_executions *= r;
}

/* Work-items that go the same way fill warps of their own. */
static void converge(const struct ir_kernel *kernel, uint32_t branch, struct evaluation *evaluation)
{
	double share[2] = {1, 1};
	const struct ir_statement *s = &kernel->statements[branch];

	for (unsigned i = 0; i < 2; i++) {
		uint32_t side = i == 0 ? s->body : s->otherwise;

		if (side != IR_NONE && evaluation->blocks[side].warp_executions > 0)
			share[i] = branch_least(kernel, evaluation, branch, side) /
			           evaluation->blocks[side].warp_executions;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct evaluation_access *a = &evaluation->accesses[i];
		uint32_t block = kernel->summary->access_block[i];
		uint32_t side = block == IR_NONE ? IR_NONE : side_of(kernel, block, branch);
		double r = side == IR_NONE ? 1 : share[side == s->body ? 0 : 1];

		if (!(r > 0) || r >= 1)
			continue;
		gather(evaluation, a, r);
	}
	for (uint32_t i = 0; i < kernel->block_count; i++) {
		uint32_t side = side_of(kernel, i, branch);

		if (side != IR_NONE)
			evaluation->blocks[i].warp_executions *= share[side == s->body ? 0 : 1];
	}
}

/* A work-item's iterations go to neighbours; the lines that they share lie beside each other in
 * time. */
static void chunk(const struct ir_kernel *kernel, const struct launch *launch,
                  const struct what_if *what_if, struct evaluation *evaluation)
{
	for (uint32_t loop = 0; loop < kernel->summary->loop_count; loop++)
		for (uint32_t i = 0; i < kernel->access_count; i++) {
			struct evaluation_access *a = &evaluation->accesses[i];
			struct affine chunked;

			if (kernel->summary->loops[loop].statement == what_if->place &&
			    access_is_grid_stride(launch, a, loop, (int64_t)what_if->detail,
			                          &chunked))
				a->address = chunked;
		}
}

void what_if_evaluated(const struct ir_kernel *kernel, const struct device *device,
                       const struct launch *launch, const struct what_if *what_if,
                       const struct what_if_change *change, struct evaluation *evaluation)
{
	switch ((enum what_if_kind)what_if->kind) {
	case WHAT_IF_TRANSPOSED:
		transpose(kernel, device, launch, what_if, evaluation);
		break;
	case WHAT_IF_ALIGNED:
		align(kernel, device, what_if, evaluation);
		break;
	case WHAT_IF_STAGED:
		stage(kernel, device, launch, change, evaluation);
		break;
	case WHAT_IF_IN_LOCAL:
	case WHAT_IF_WINDOW:
		fill(kernel, device, what_if, change, evaluation);
		break;
	case WHAT_IF_TILED:
		tile(kernel, device, what_if, change, evaluation);
		break;
	case WHAT_IF_PADDED:
		pad(kernel, what_if->place, evaluation);
		break;
	case WHAT_IF_PITCHED:
		change_pitch(kernel, device, what_if, evaluation);
		break;
	case WHAT_IF_CONVERGED:
		converge(kernel, what_if->place, evaluation);
		break;
	case WHAT_IF_CHUNKED:
		chunk(kernel, launch, what_if, evaluation);
		break;
	case WHAT_IF_BALANCED:
		balance(kernel, device, what_if->place, evaluation);
		break;
	default:
		break;
	}
}
