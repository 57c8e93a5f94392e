/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled warps, the walk over statements, and what it counts per block. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/dryrun.h"
#include "model/evaluate/lanes.h"

enum {
	CHUNK_ITEMS = 16, /* pseudo-lanes where nothing runs in lockstep */
	WARP_ITEMS_MAX = 64,
	/* warps sampled, at most */
	WARPS_FEW = 8, /* of a large kernel */
	WARPS_MANY = 16,
	LANES_UNEVEN = 1024, /* of a small one whose loops differ between work-items */
	LARGE_KERNEL_NODES = 4096,
	SMALL_KERNEL_NODES = 512
};

void note_add(char *note, size_t size, const char *format, ...)
{
	char text[EVALUATE_NOTE_MAX];
	size_t used = strlen(note);
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (strstr(note, text))
		return;
	snprintf(note + used, size - used, "%s%s", used > 0 ? "; " : "", text);
}

const struct launch_hint *hint_find(const struct launch *launch, bool is_branch, uint32_t line)
{
	for (uint32_t i = 0; i < launch->hint_count && i < LAUNCH_HINTS_MAX; i++)
		if (!!launch->hints[i].is_branch == is_branch && launch->hints[i].line == line)
			return &launch->hints[i];
	return NULL;
}

_Static_assert(LAUNCH_HINTS_MAX <= 64, "a bit by hint");

void hint_meet(struct evaluator *evaluator, const struct launch_hint *hint, bool is_needed)
{
	if (!hint)
		return;
	uint64_t bit = UINT64_C(1) << (hint - evaluator->launch->hints);

	evaluator->hints_met |= bit;
	if (is_needed)
		evaluator->hints_needed |= bit;
}

/* What follows from the launch decides a branch; of a loop, a hint is obeyed nevertheless. */
static void note_hints(const struct evaluator *evaluator)
{
	uint64_t needless = evaluator->hints_met & ~evaluator->hints_needed;

	for (unsigned i = 0; i < LAUNCH_HINTS_MAX; i++) {
		const struct launch_hint *hint = &evaluator->launch->hints[i];

		if (needless >> i & 1)
			note_add(evaluator->result->note, EVALUATE_NOTE_MAX,
			         hint->is_branch
			                 ? "branch at line %u: known, not as hinted"
			                 : "loop at line %u: as hinted, though its trips are known",
			         hint->line);
	}
}

float *arena_take(struct evaluator *evaluator, size_t count)
{
	float *memory = evaluator->arena + evaluator->arena_used;

	count = (count + 3) & ~(size_t)3; /* keeps what follows aligned for 64-bit numbers */
	if (count > evaluator->arena_size - evaluator->arena_used)
		return NULL;
	evaluator->arena_used += count;
	return memory;
}

/* ---- samples ------------------------------------------------------------------------------- */

static void place_warp(struct evaluator *evaluator, unsigned sample, uint64_t warp)
{
	const struct launch *launch = evaluator->launch;
	const struct evaluation *result = evaluator->result;
	uint64_t group = warp / result->group_warps;
	uint64_t first = warp % result->group_warps * evaluator->warp_items;
	uint64_t grid[3] = {group % result->group_count[0],
	                    group / result->group_count[0] % result->group_count[1],
	                    group / result->group_count[0] / result->group_count[1]};

	uint64_t local[3] = {first % launch->local[0], first / launch->local[0] % launch->local[1],
	                     first / launch->local[0] / launch->local[1]};

	for (unsigned i = 0; i < evaluator->warp_items; i++) {
		unsigned lane = sample * evaluator->warp_items + i;

		evaluator->is_lane[lane] = first + i < result->group_items;
		for (unsigned d = 0; d < 3; d++) {
			uint64_t global = grid[d] * launch->local[d] + local[d];

			if (global >= launch->global[d])
				evaluator->is_lane[lane] = false; /* an uneven last group */
			evaluator->ids[(size_t)d * evaluator->lanes + lane] =
			        global + launch->offset[d];
			evaluator->ids[(size_t)(3 + d) * evaluator->lanes + lane] = local[d];
			evaluator->ids[(size_t)(6 + d) * evaluator->lanes + lane] = grid[d];
		}
		/* the next work-item, in linear order */
		if (++local[0] == launch->local[0]) {
			local[0] = 0;
			if (++local[1] == launch->local[1]) {
				local[1] = 0;
				local[2]++;
			}
		}
	}
}

/* Multiples of the golden ratio: spread evenly over 0 to 1, whatever their number. */
static double golden(double start, unsigned number)
{
	return fmod(start + number * 0.6180339887498949, 1);
}

/*
 * One of the `count` warps between the first and the last that stand for all: its group lies in
 * a stratum of its own. What a work-group does once its first warp does, which therefore has the
 * weight that it has in the launch.
 */
static uint64_t place_between(const struct evaluator *evaluator, unsigned number, unsigned count,
                              double *weight)
{
	const struct evaluation *result = evaluator->result;
	double all = (double)result->groups * (double)result->group_warps - 2;
	double first_share = 1 / (double)result->group_warps;
	unsigned firsts = (unsigned)fmax(1, round(count * first_share));
	bool is_first = number * firsts % count < firsts;
	uint64_t group =
	        (uint64_t)((number + golden(0.5, number + 1)) / count * (double)result->groups);
	uint64_t place = 0;

	if (!is_first && result->group_warps > 1)
		place = 1 + (uint64_t)(golden(0.25, number) * (double)(result->group_warps - 1));
	*weight = all * first_share / firsts;
	if (!is_first)
		*weight = all * (1 - first_share) / (count - firsts);
	return group * result->group_warps + place;
}

/*
 * Places warps first, first + 1, ... of the `all` that are sampled: all warps
 * of a small launch; else the first and the last, which stand for themselves,
 * and some between.
 */
static void place_warps(struct evaluator *evaluator, unsigned first, unsigned all)
{
	uint64_t total = evaluator->result->groups * evaluator->result->group_warps;

	for (unsigned i = 0; i < evaluator->warps; i++) {
		unsigned sample = first + i;
		uint64_t warp = sample;

		evaluator->sample_weight[i] = 1;
		if (total > all && sample == all - 1)
			warp = total - 1;
		else if (total > all && sample > 0)
			warp = place_between(evaluator, sample - 1, all - 2,
			                     &evaluator->sample_weight[i]);
		warp = warp < total ? warp : total - 1;
		place_warp(evaluator, i, warp);
		evaluator->sample_work[i] = 0;
		evaluator->sample_place[i] =
		        ((double)(warp / evaluator->result->group_warps) + 0.5) /
		        (double)evaluator->result->groups;
	}
}

/* ---- the walk ------------------------------------------------------------------------------ */

static bool any_lane(const float *weight, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (weight[i] > 0)
			return true;
	return false;
}

/* Divisions of a block, in lists: by kernel->summary->node_is_bypassed. */
static void find_bypassed(struct evaluator *evaluator)
{
	const struct ir_summary *summary = evaluator->summary;

	for (uint32_t id = 0; id < evaluator->kernel->node_count; id++) {
		uint32_t block = summary->node_block[id];

		if (!summary->node_is_bypassed[id] || block == IR_NONE || !lanes_has(evaluator, id))
			continue;
		evaluator->next_bypassed[id] = evaluator->bypassed[block];
		evaluator->bypassed[block] = id + 1;
	}
}

/* Work-items whose divisor is known, or drawn, to be greater than what it is to divide. */
static void count_bypassed(struct evaluator *evaluator, uint32_t block, const float *weight)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	for (uint32_t next = evaluator->bypassed[block]; next != 0;
	     next = evaluator->next_bypassed[next - 1]) {
		const struct ir_node *node = &kernel->nodes[next - 1];
		const uint32_t *operands = &kernel->operands[node->first_operand];
		const int64_t *dividend, *divisor;
		const uint8_t *known[2];
		double sum = 0;

		if (!lanes_has(evaluator, operands[0]) || !lanes_has(evaluator, operands[1]))
			continue;
		dividend = lanes_value(evaluator, operands[0]);
		divisor = lanes_value(evaluator, operands[1]);
		known[0] = lanes_known(evaluator, operands[0]);
		known[1] = lanes_known(evaluator, operands[1]);
		for (unsigned i = 0; i < evaluator->lanes; i++)
			if ((known[0][i] & known[1][i] & LANES_CHANCE) == LANES_CHANCE &&
			    (uint64_t)divisor[i] > (uint64_t)dividend[i])
				sum += evaluator->sample_weight[i / evaluator->warp_items] *
				       (double)weight[i];
		evaluator->result->blocks[block].bypassed[node->op == NODE_REM] += sum;
		evaluator->used += evaluator->lanes;
	}
}

static void count_block(struct evaluator *evaluator, uint32_t block, const float *weight,
                        const float *warp_weight)
{
	struct evaluation_block *result = &evaluator->result->blocks[block];

	float lanes[EVALUATE_WARPS_MAX] = {0}; /* of each warp: a sum waits for none of another */

	for (unsigned i = 0; i < evaluator->warp_items; i++)
		for (unsigned warp = 0; warp < evaluator->warps; warp++)
			lanes[warp] += weight[warp * evaluator->warp_items + i];
	for (unsigned warp = 0; warp < evaluator->warps; warp++) {
		evaluator->sample_work[warp] +=
		        (double)(lanes[warp] * evaluator->block_work[block]);
		result->executions += evaluator->sample_weight[warp] * (double)lanes[warp];
		result->warp_executions +=
		        evaluator->sample_weight[warp] * (double)warp_weight[warp];
	}
}

static void walk_scope(struct evaluator *evaluator, uint32_t statement, float *weight,
                       float *warp_weight)
{
	size_t mark = evaluator->arena_used;
	unsigned lanes = evaluator->lanes, warps = evaluator->warps;
	struct evaluator_target target = {.statement = statement, .outer = evaluator->targets};

	target.weight = arena_take(evaluator, lanes + warps);
	if (!target.weight)
		return;
	target.warp_weight = target.weight + lanes;
	memset(target.weight, 0, (lanes + warps) * sizeof(float));
	evaluator->targets = &target;
	evaluate_block(evaluator, evaluator->kernel->statements[statement].body, weight,
	               warp_weight);
	evaluator->targets = target.outer;
	for (unsigned i = 0; i < lanes; i++)
		weight[i] += target.weight[i];
	for (unsigned i = 0; i < warps; i++)
		warp_weight[i] = fmaxf(warp_weight[i], target.warp_weight[i]);
	evaluator->arena_used = mark;
}

/*
 * The active lanes go to the end of `statement`, or to its next iteration;
 * loops on the way that they leave are told.
 */
static void walk_exit(struct evaluator *evaluator, uint32_t statement, bool is_next, float *weight,
                      float *warp_weight)
{
	struct evaluator_target *target = evaluator->targets;

	for (; target && target->statement != statement; target = target->outer)
		for (unsigned i = 0; target->left && i < evaluator->lanes; i++)
			target->left[i] += weight[i];
	if (target && (!is_next || target->again)) {
		float *lanes = is_next ? target->again : target->weight;
		float *warps = is_next ? target->again + evaluator->lanes : target->warp_weight;

		for (unsigned i = 0; i < evaluator->lanes; i++)
			lanes[i] += weight[i];
		for (unsigned i = 0; i < evaluator->warps; i++)
			warps[i] += warp_weight[i];
	}
	memset(weight, 0, evaluator->lanes * sizeof(*weight));
	memset(warp_weight, 0, evaluator->warps * sizeof(*warp_weight));
}

/* Loops that no lane enters still leave their variables at what they started from. */
static void refresh_skipped(struct evaluator *evaluator, uint32_t block)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	if (block == IR_NONE || evaluator->used > evaluator->budget)
		return;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_LOOP)
			lanes_run(evaluator, list_of(evaluator, i),
			          evaluator->loops[list_of(evaluator, i)].count);
		if (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH ||
		    s->kind == STATEMENT_SCOPE)
			refresh_skipped(evaluator, s->body);
		if (s->kind == STATEMENT_BRANCH)
			refresh_skipped(evaluator, s->otherwise);
	}
}

void evaluate_block(struct evaluator *evaluator, uint32_t block, float *weight, float *warp_weight)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	if (block == IR_NONE)
		return;
	if (!any_lane(weight, evaluator->lanes)) {
		refresh_skipped(evaluator, block);
		return;
	}
	count_block(evaluator, block, weight, warp_weight);
	count_bypassed(evaluator, block, weight);
	evaluator->used += evaluator->lanes / 4;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		switch (s->kind) {
		case STATEMENT_ACCESS:
			access_record(evaluator, s->access, weight, warp_weight);
			break;
		case STATEMENT_LOOP:
			evaluate_loop(evaluator, i, weight, warp_weight);
			break;
		case STATEMENT_BRANCH:
			evaluate_branch(evaluator, s, weight, warp_weight);
			break;
		case STATEMENT_SCOPE:
			walk_scope(evaluator, i, weight, warp_weight);
			break;
		case STATEMENT_EXIT:
		case STATEMENT_NEXT:
			walk_exit(evaluator, s->target, s->kind == STATEMENT_NEXT, weight,
			          warp_weight);
			return;
		default:
			break;
		}
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void find_loops(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	for (uint32_t i = 0; i < evaluator->summary->loop_count; i++) {
		uint32_t statement = evaluator->summary->loops[i].statement;
		uint32_t list = list_around(evaluator, kernel->statements[statement].block);

		evaluator->result->loops[i].parent = list == 0 ? IR_NONE : list - 1;
		evaluator->loops[i + 1].depth = list == 0 ? 0 : evaluator->loops[list].depth + 1;
	}
}

/* The bits of a texel's sampler as far as the launch tells; 0 without one. */
static uint64_t sampler_of(const struct evaluator *evaluator, const struct ir_node *texel)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	uint32_t coordinates = texel->imm & TEXEL_COORDINATES;
	const struct ir_node *sampler;

	if (texel->operand_count <= coordinates)
		return 0;
	sampler = &kernel->nodes[kernel->operands[texel->first_operand + coordinates]];
	if (sampler->op == NODE_CONST_INT)
		return sampler->imm;
	if (sampler->op == NODE_ARG && sampler->aux < evaluator->launch->argument_count)
		return evaluator->launch->arguments[sampler->aux].sampler;
	return 0;
}

/* An access of a checked launch to an image: texels of its format, in rows. */
static void find_image(struct evaluator *evaluator, uint32_t access)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_object *object = &kernel->objects[kernel->accesses[access].object];
	const struct ir_node *texel = &kernel->nodes[kernel->accesses[access].index];
	const struct launch_argument *image = &evaluator->launch->arguments[object->argument];
	struct evaluation_access *result = &evaluator->result->accesses[access];
	unsigned bytes = image_format_bytes((enum image_format)image->format);

	result->object_bytes = launch_image_bytes(image);
	result->bytes = bytes;
	if (image_dimensions((enum image_kind)kernel->arguments[object->argument].image) > 1)
		result->pitch_bytes = (uint64_t)image->width * bytes;
	result->image_class = (uint8_t)image_format_class((enum image_format)image->format);
	result->image_way = texel->imm & TEXEL_REAL ? IMAGE_WAY_REAL : IMAGE_WAY_READ;
	if (kernel->accesses[access].kind == ACCESS_STORE)
		result->image_way = IMAGE_WAY_WRITE;
	else if ((sampler_of(evaluator, texel) & SAMPLER_LINEAR) && (texel->imm & TEXEL_REAL) &&
	         result->image_class != IMAGE_CLASS_INTEGER)
		result->image_way = IMAGE_WAY_LINEAR;
}

static void find_sizes(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_object *object = &kernel->objects[kernel->accesses[i].object];

		evaluator->result->accesses[i].object_bytes = object->size_bytes;
		evaluator->result->accesses[i].bytes = type_bytes(kernel->accesses[i].type);
		if (object->space == SPACE_IMAGE)
			find_image(evaluator, i);
		else if (object->argument != IR_NONE &&
		         object->argument < evaluator->launch->argument_count)
			evaluator->result->accesses[i].object_bytes =
			        evaluator->launch->arguments[object->argument].size_bytes;
	}
}

/* True when loops may differ between work-items in ways that only following them tells. */
static bool has_uneven_loops(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		uint32_t condition = kernel->statements[loop->statement].condition;
		unsigned op = condition == IR_NONE ? NODE_CONST_INT : kernel->nodes[condition].op;

		if (loop->has_early_exit || (loop->trip != TRIP_CONSTANT && op != NODE_LT &&
		                             op != NODE_LE && op != NODE_NE))
			return true;
	}
	return false;
}

static void geometry(struct evaluation *result, const struct launch *launch,
                     const struct device *device)
{
	double warp = device_value(device, COEFFICIENT_WARP_ITEMS, 1);

	result->warp_items = CHUNK_ITEMS;
	if (warp > 1.5)
		result->warp_items = (unsigned)lround(fmin(warp, (double)(int)WARP_ITEMS_MAX));
	result->items = result->groups = result->group_items = 1;
	for (unsigned d = 0; d < 3; d++) {
		result->group_count[d] = launch->global[d] / launch->local[d] +
		                         (launch->global[d] % launch->local[d] != 0);
		result->items *= launch->global[d];
		result->groups *= result->group_count[d];
		result->group_items *= launch->local[d];
	}
	result->group_warps = (result->group_items + result->warp_items - 1) / result->warp_items;
	result->warps = (double)result->groups * (double)result->group_warps;
}

/* All statements for the warps that are placed. */
static bool walk(struct evaluator *evaluator)
{
	size_t mark = evaluator->arena_used;
	float *weight = arena_take(evaluator, evaluator->lanes + evaluator->warps);

	if (!weight)
		return false;
	for (unsigned i = 0; i < evaluator->lanes; i++) {
		weight[i] = evaluator->is_lane[i] ? 1 : 0;
		evaluator->lanes_total +=
		        evaluator->sample_weight[i / evaluator->warp_items] * (double)weight[i];
	}
	for (unsigned i = 0; i < evaluator->warps; i++) {
		const float *lanes = weight + i * evaluator->warp_items;

		weight[evaluator->lanes + i] = any_lane(lanes, evaluator->warp_items) ? 1 : 0;
		evaluator->warps_total += evaluator->sample_weight[i];
	}
	lanes_run(evaluator, 0, evaluator->loops[0].count);
	evaluate_block(evaluator, 0, weight, weight + evaluator->lanes);
	evaluator->arena_used = mark;
	slope_add(evaluator);
	return true;
}

static void finish(struct evaluator *evaluator)
{
	struct evaluation *result = evaluator->result;
	double lanes = evaluator->lanes_total, warps = evaluator->warps_total;

	for (uint32_t i = 0; i < evaluator->kernel->block_count; i++) {
		for (unsigned rest = 0; rest < 2 && result->blocks[i].executions > 0; rest++)
			result->blocks[i].bypassed[rest] /= result->blocks[i].executions;
		result->blocks[i].executions /= lanes > 0 ? lanes : 1;
		result->blocks[i].warp_executions /= warps;
	}
	for (uint32_t i = 0; i < evaluator->summary->loop_count; i++) {
		const struct evaluator_loop *loop = &evaluator->loops[i + 1];

		result->loops[i].trips =
		        loop->trip_weight > 0 ? loop->trips_total / loop->trip_weight : 0;
		result->loops[i].most = loop->most;
		result->loops[i].entries = loop->trip_weight / (lanes > 0 ? lanes : 1);
		result->loops[i].is_assumed = loop->is_assumed;
		for (unsigned t = 0; t < SHORT_TRIPS && loop->trip_weight > 0; t++)
			result->loops[i].usual = fmax(result->loops[i].usual,
			                              loop->short_entries[t] / loop->trip_weight);
	}
	result->slope = slope_of(&evaluator->slope);
	access_finish(evaluator);
	note_hints(evaluator);
	result->used = evaluator->used + evaluator->drawn;
	if (evaluator->used > evaluator->budget)
		result->is_capped = true;
	if (result->is_capped)
		note_add(result->note, sizeof(result->note),
		         "extrapolated: evaluation was cut short");
}

/* Takes all memory but that of the lanes, which is known once the needed nodes are. */
static bool take_memory(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	struct evaluation *result = evaluator->result;
	size_t nodes = kernel->node_count + 1;
	size_t loops = evaluator->summary->loop_count + 1;
	uint32_t depth = 1;

	for (uint32_t i = 0; i < kernel->block_count; i++) {
		uint32_t block = i, nesting = 1;

		for (; kernel->blocks[block].owner != IR_NONE; nesting++)
			block = kernel->statements[kernel->blocks[block].owner].block;
		depth = nesting > depth ? nesting : depth;
	}
	evaluator->arena_size = ((size_t)depth + 4) * (evaluator->lanes * 13 + 256);
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_LOOP)
			if (kernel->statements[i].variable_count > 0)
				evaluator->arena_size += 16;
	{
		uint32_t variables = 0;

		for (uint32_t i = 0; i < kernel->statement_count; i++)
			if (kernel->statements[i].kind == STATEMENT_LOOP &&
			    kernel->statements[i].variable_count > variables)
				variables = kernel->statements[i].variable_count;
		evaluator->arena_size += (size_t)variables * evaluator->lanes * 4;
	}
	result->blocks = calloc(kernel->block_count + 1, sizeof(*result->blocks));
	result->accesses = calloc(kernel->access_count + 1, sizeof(*result->accesses));
	result->loops = calloc(loops, sizeof(*result->loops));
	evaluator->ids = calloc((size_t)9 * evaluator->lanes, sizeof(*evaluator->ids));
	evaluator->is_lane = calloc(evaluator->lanes, sizeof(*evaluator->is_lane));
	evaluator->slot = calloc(nodes * 6, sizeof(*evaluator->slot));
	evaluator->bypassed = calloc(kernel->block_count + 1, sizeof(*evaluator->bypassed));
	evaluator->block_work = calloc(kernel->block_count + 1, sizeof(*evaluator->block_work));
	evaluator->flags = calloc(nodes, sizeof(*evaluator->flags));
	evaluator->loops = calloc(loops + 1, sizeof(*evaluator->loops));
	evaluator->arena = malloc(evaluator->arena_size * sizeof(*evaluator->arena));
	evaluator->access_sums = calloc((size_t)kernel->access_count + 1,
	                                ACCESS_SUMS * sizeof(*evaluator->access_sums));
	if (!result->blocks || !result->accesses || !result->loops || !evaluator->ids ||
	    !evaluator->is_lane || !evaluator->slot || !evaluator->block_work ||
	    !evaluator->bypassed || !evaluator->flags || !evaluator->loops || !evaluator->arena ||
	    !evaluator->access_sums)
		return false;
	evaluator->list = evaluator->slot + nodes;
	evaluator->alias = evaluator->list + nodes;
	evaluator->order = evaluator->alias + nodes;
	evaluator->next_bypassed = evaluator->order + nodes;
	evaluator->tried = evaluator->next_bypassed + nodes;
	return true;
}

enum status evaluate(const struct ir_kernel *kernel, const struct device *device,
                     const struct launch *launch, uint64_t budget, struct evaluation *evaluation,
                     struct error *error)
{
	struct evaluation result = {0};
	uint64_t looks = budget / 4;
	struct evaluator evaluator = {
	        .kernel = kernel,
	        .summary = kernel->summary,
	        .launch = launch,
	        .device = device,
	        .result = &result,
	        .budget = budget,
	        .draws_max = budget / 4,
	        .dryrun_budget = budget / 128,
	        .looks = &looks,
	};
	enum status status = STATUS_NO_MEMORY;
	uint64_t total;
	unsigned all;
	bool is_uneven;

	memset(evaluation, 0, sizeof(*evaluation));
	geometry(&result, launch, device);
	evaluator.warp_items = result.warp_items;
	total = result.groups * result.group_warps;
	all = kernel->node_count < LARGE_KERNEL_NODES ? WARPS_MANY : WARPS_FEW;
	is_uneven = kernel->node_count < SMALL_KERNEL_NODES && has_uneven_loops(kernel);
	if (is_uneven)
		all = LANES_UNEVEN / result.warp_items;
	if (total < all)
		all = (unsigned)total;
	evaluator.warps = is_uneven ? 1 : all;
	evaluator.lanes = evaluator.warps * evaluator.warp_items;
	if (!take_memory(&evaluator))
		goto out;
	find_sizes(&evaluator);
	find_loops(&evaluator);
	rows_find(&evaluator);
	result.has_rows = evaluator.rows.is_known;
	result.has_equal_rows = rows_are_equal(&evaluator.rows);
	if (!lanes_init(&evaluator))
		goto out;
	exits_find(&evaluator);
	find_bypassed(&evaluator);
	slope_prepare(&evaluator);
	/* one by one where they differ, so that a short warp does not wait for a long one */
	for (unsigned first = 0; first < all; first += evaluator.warps) {
		uint64_t left = budget > evaluator.used ? budget - evaluator.used : 0;

		evaluator.budget = evaluator.used + left / (all - first) * evaluator.warps;
		place_warps(&evaluator, first, all);
		if (!walk(&evaluator))
			goto out;
	}
	evaluator.budget = budget;
	finish(&evaluator);
	if (!affine_run(&evaluator))
		goto out;
	access_narrow(&evaluator);
	*evaluation = result;
	memset(&result, 0, sizeof(result)); /* moved */
	status = STATUS_OK;
out:
	if (status != STATUS_OK)
		error_set(error, status, "%s: no memory to evaluate the launch", kernel->name);
	evaluation_deinit(&result);
	if (evaluator.dryrun)
		dryrun_deinit(evaluator.dryrun);
	free(evaluator.dryrun);
	free(evaluator.ids);
	free(evaluator.is_lane);
	free(evaluator.slot);
	free(evaluator.bypassed);
	free(evaluator.block_work);
	free(evaluator.flags);
	free(evaluator.loops);
	free(evaluator.arena);
	free(evaluator.access_sums);
	free(evaluator.value);
	free(evaluator.known);
	return status;
}

void evaluation_deinit(struct evaluation *evaluation)
{
	free(evaluation->blocks);
	free(evaluation->accesses);
	free(evaluation->loops);
	memset(evaluation, 0, sizeof(*evaluation));
}
