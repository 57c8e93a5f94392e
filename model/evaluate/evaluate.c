/* SPDX-License-Identifier: Apache-2.0 */
/* The whole evaluation of a launch, step by step. */
#include "model/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/addresses.h"
#include "model/evaluate/exits.h"
#include "model/evaluate/indirect.h"
#include "model/evaluate/walk.h"

enum {
	CHUNK_ITEMS = 16, /* pseudo-lanes where nothing runs in lockstep */
	WARP_ITEMS_MAX = 64,
	SCOUTS_SHARE = 64 /* of the budget one: where walks took more, there are none */
};

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

/* The bits of a texel's sampler as far as the launch tells; 0 without one. */
static uint64_t sampler_of(const struct question *question, const struct ir_node *texel)
{
	const struct ir_kernel *kernel = question->kernel;
	uint32_t coordinates = texel->imm & TEXEL_COORDINATES;
	const struct ir_node *sampler;

	if (texel->operand_count <= coordinates)
		return 0;
	sampler = &kernel->nodes[kernel->operands[texel->first_operand + coordinates]];
	if (sampler->op == NODE_CONST_INT)
		return sampler->imm;
	if (sampler->op == NODE_ARG && sampler->aux < question->launch->argument_count)
		return question->launch->arguments[sampler->aux].sampler;
	return 0;
}

/* An access of a checked launch to an image: texels of its format, in rows. */
static void find_image(const struct question *question, uint32_t access, struct evaluation *result)
{
	const struct ir_kernel *kernel = question->kernel;
	const struct ir_object *object = &kernel->objects[kernel->accesses[access].object];
	const struct ir_node *texel = &kernel->nodes[kernel->accesses[access].index];
	const struct launch_argument *image = &question->launch->arguments[object->argument];
	struct evaluation_access *a = &result->accesses[access];
	unsigned bytes = image_format_bytes((enum image_format)image->format);

	a->object_bytes = launch_image_bytes(image);
	a->bytes = bytes;
	if (image_dimensions((enum image_kind)kernel->arguments[object->argument].image) > 1)
		a->pitch_bytes = (uint64_t)image->width * bytes;
	a->image_class = (uint8_t)image_format_class((enum image_format)image->format);
	a->image_way = texel->imm & TEXEL_REAL ? IMAGE_WAY_REAL : IMAGE_WAY_READ;
	if (kernel->accesses[access].kind == ACCESS_STORE)
		a->image_way = IMAGE_WAY_WRITE;
	else if ((sampler_of(question, texel) & SAMPLER_LINEAR) && (texel->imm & TEXEL_REAL) &&
	         a->image_class != IMAGE_CLASS_INTEGER)
		a->image_way = IMAGE_WAY_LINEAR;
}

static void find_sizes(const struct question *question, struct evaluation *result)
{
	const struct ir_kernel *kernel = question->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t object = kernel->accesses[i].object;
		const struct launch_argument *argument = question_argument(question, object);

		result->accesses[i].object_bytes = kernel->objects[object].size_bytes;
		result->accesses[i].bytes = type_bytes(kernel->accesses[i].type);
		if (kernel->objects[object].space == SPACE_IMAGE)
			find_image(question, i, result);
		else if (argument)
			result->accesses[i].object_bytes = argument->size_bytes;
	}
}

/* Loops around each other. */
static void find_nests(const struct ir_kernel *kernel, struct loop_facts *facts,
                       struct evaluation *result)
{
	for (uint32_t list = 1; list <= kernel->summary->loop_count; list++) {
		uint32_t outside = list_outside(kernel, list);

		result->loops[list - 1].parent = outside == 0 ? IR_NONE : outside - 1;
		facts[list].depth = outside == 0 ? 0 : facts[outside].depth + 1;
	}
}

/* Arguments whose samples say nothing, since the kernel itself may have stored what it reads. */
static void note_written(const struct question *question, struct evaluation *result)
{
	const struct ir_kernel *kernel = question->kernel;

	for (uint32_t i = 0; question->held && i < question->launch->argument_count; i++) {
		bool is_read = false, is_held = false;

		for (uint32_t a = 0; a < kernel->access_count; a++)
			if (kernel->objects[kernel->accesses[a].object].argument == i) {
				is_read |= kernel->accesses[a].kind != ACCESS_STORE;
				is_held |= question->held[a] != NULL;
			}
		if (question->launch->arguments[i].sample && is_read && !is_held)
			note_add(result->note, EVALUATE_NOTE_MAX,
			         "%s: stored to before it is read, so not as sampled",
			         kernel->arguments[i].name);
	}
}

/* Whether trips of any loop are not what the launch, or a sample, says. */
static bool has_assumed_loop(const struct ir_kernel *kernel, const struct evaluation *result)
{
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		if (result->loops[i].is_assumed)
			return true;
	return false;
}

static bool take_memory(const struct ir_kernel *kernel, struct evaluation *result)
{
	size_t loops = kernel->summary->loop_count + 1;

	result->blocks = calloc(kernel->block_count + 1, sizeof(*result->blocks));
	result->accesses = calloc(kernel->access_count + 1, sizeof(*result->accesses));
	result->loops = calloc(loops, sizeof(*result->loops));
	return result->blocks && result->accesses && result->loops;
}

/*
 * Work-items of all of the NDRange, one by one: those of few warps are neighbours, which data often
 * send the same way. False when memory is short.
 */
static bool walk_scouts(struct walk *walk, struct warps *sampled)
{
	unsigned walks = (EVALUATE_PARTS + sampled->warps - 1) / sampled->warps;

	walk->lanes->is_scouting = true;
	parts_restart(&walk->parts);
	for (unsigned i = 0; i < walks; i++) {
		warps_scatter(sampled, walk->question, i, walks);
		if (!walk_run(walk))
			return false;
	}
	walk->lanes->is_scouting = false;
	return true;
}

enum status evaluate(const struct ir_kernel *kernel, const struct device *device,
                     const struct launch *launch, uint64_t budget, struct evaluation *evaluation,
                     struct error *error)
{
	struct evaluation result = {0};
	uint64_t looks = budget / 4;
	struct question question = {.kernel = kernel,
	                            .launch = launch,
	                            .device = device,
	                            .sizes = &result,
	                            .looks = &looks};
	struct held_table held = {0};
	struct budget spent = {.limit = budget, .draws_max = budget / 4};
	struct rows rows = {0};
	struct warps sampled = {0};
	struct schedule schedule = {0};
	struct lanes lanes = {0};
	struct walk walk = {0};
	struct loop_facts *facts = calloc(kernel->summary->loop_count + 1, sizeof(*facts));
	enum status status = STATUS_NO_MEMORY;

	memset(evaluation, 0, sizeof(*evaluation));
	if (!facts || !take_memory(kernel, &result) || !held_init(&held, kernel, launch))
		goto out;
	question.held = held.of;
	geometry(&result, launch, device);
	find_sizes(&question, &result);
	find_nests(kernel, facts, &result);
	note_written(&question, &result);
	rows_find(&question, &rows, facts);
	result.has_rows = rows.is_known;
	result.has_equal_rows = rows_are_equal(&rows);
	if (!warps_init(&sampled, &question) ||
	    !schedule_init(&schedule, &question, &rows, sampled.lanes, facts))
		goto out;
	result.is_capped = schedule.is_capped;
	exits_find(&schedule, facts);
	if (!lanes_init(&lanes, &schedule, &sampled, &spent) ||
	    !walk_init(&walk, &lanes, facts, budget / 128, &result))
		goto out;
	for (unsigned first = 0; first < sampled.all; first += sampled.warps) {
		uint64_t left = budget > spent.used ? budget - spent.used : 0;

		spent.limit = spent.used + left / (sampled.all - first) * sampled.warps;
		warps_place(&sampled, &question, first);
		if (!walk_run(&walk))
			goto out;
	}
	spent.limit = budget;
	if (walk.parts.count > 0 && result.warps > sampled.all &&
	    spent.used < budget / SCOUTS_SHARE && !walk_scouts(&walk, &sampled))
		goto out;
	walk_finish(&walk);
	result.has_equal_rows |= held.of && !has_assumed_loop(kernel, &result);
	if (!affine_run(&lanes, &result))
		goto out;
	access_narrow(&schedule, &result);
	if (!indirect_find(&schedule, &result))
		goto out;
	*evaluation = result;
	memset(&result, 0, sizeof(result)); /* moved */
	status = STATUS_OK;
out:
	if (status != STATUS_OK)
		error_set(error, status, "%s: no memory to evaluate the launch", kernel->name);
	evaluation_deinit(&result);
	walk_deinit(&walk);
	lanes_deinit(&lanes);
	schedule_deinit(&schedule);
	warps_deinit(&sampled);
	held_deinit(&held);
	free(facts);
	return status;
}

void evaluation_deinit(struct evaluation *evaluation)
{
	free(evaluation->blocks);
	free(evaluation->accesses);
	free(evaluation->loops);
	free(evaluation->part_executions);
	memset(evaluation, 0, sizeof(*evaluation));
}
