/* SPDX-License-Identifier: Apache-2.0 */
/* From a question to an answer: check, evaluate, model, transfers, interval. */
#include "model/answer/predict.h"
#include "model/answer/fallback.h"
#include "model/paper/paper.h"
#include "model/time/default.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/interval.h"
#include "model/answer/unbound.h"
#include "model/device/levels.h"
#include "model/evaluate/pattern.h"
#include "model/machine/build_price.h"
#include "model/machine/input.h"
#include "model/whatif/whatif.h"

/* The coefficients of one kind of host memory, one way. */
struct way {
	unsigned latency, near, far;
};

static const struct copies {
	struct way h2d, d2h;
} pageable = {{COEFFICIENT_H2D_LATENCY, COEFFICIENT_H2D_BANDWIDTH, COEFFICIENT_H2D_FAR},
              {COEFFICIENT_D2H_LATENCY, COEFFICIENT_D2H_BANDWIDTH, COEFFICIENT_D2H_FAR}},
  pinned = {{COEFFICIENT_PINNED_H2D_LATENCY, COEFFICIENT_PINNED_H2D_BANDWIDTH,
             COEFFICIENT_PINNED_H2D_FAR},
            {COEFFICIENT_PINNED_D2H_LATENCY, COEFFICIENT_PINNED_D2H_BANDWIDTH,
             COEFFICIENT_PINNED_D2H_FAR}};

/* `far`: the share of the bytes that no cache of the host holds. */
static double transfer_time(const struct device *device, const struct way *way, double far,
                            double bytes)
{
	double near_rate =
	        positive_value(device, way->near, level_read_bandwidth(device, MEMORY_DRAM));
	double far_rate = positive_value(device, way->far, near_rate);
	return device_value(device, way->latency, 0) +
	       bytes * ((1 - far) / near_rate + far / far_rate);
}

static bool is_copied(const struct launch_argument *argument)
{
	return argument->kind == ARGUMENT_BUFFER || argument->kind == ARGUMENT_IMAGE;
}

/* A cache that is passed over in turn holds all of what fits, and nothing of twice as much. */
static double far_share(const struct device *device, const struct launch *launch)
{
	double near_bytes = device_value(device, COEFFICIENT_NEAR_BYTES, 0), bytes = 0;
	for (uint32_t i = 0; i < launch->argument_count; i++)
		if (is_copied(&launch->arguments[i]))
			bytes += (double)launch_argument_bytes(&launch->arguments[i]);
	return near_bytes > 0 ? fmin(fmax(bytes / near_bytes - 1, 0), 1) : 0;
}

/* Adds the copies of the launch, and what they assume to the note. */
static void predict_transfers(const struct device *device, const struct launch *launch,
                              bool is_pinned, struct prediction *prediction)
{
	const struct copies *id = &pageable;
	const char *what = "transfers of pageable memory";
	double far = far_share(device, launch);

	if (is_pinned) {
		bool is_known = device->coefficient[pinned.h2d.near].is_known &&
		                device->coefficient[pinned.d2h.near].is_known;
		id = is_known ? &pinned : &pageable;
		what = is_known ? "transfers of pinned memory"
		                : "pinned transfers are not calibrated: as of pageable memory";
	}
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		const struct launch_argument *argument = &launch->arguments[i];
		double bytes = (double)launch_argument_bytes(argument);

		if (!is_copied(argument))
			continue;
		if (argument->access & BUFFER_READ)
			prediction->h2d_time_s += transfer_time(device, &id->h2d, far, bytes);
		if (argument->access & BUFFER_WRITE)
			prediction->d2h_time_s += transfer_time(device, &id->d2h, far, bytes);
	}
	note_add(prediction->note, sizeof(prediction->note), "%s", what);
}

/* As --local takes it. */
static void note_local(struct prediction *prediction, uint32_t dimensions)
{
	char sizes[72] = "";
	for (uint32_t d = 0, used = 0; d < dimensions; d++)
		used += (uint32_t)snprintf(sizes + used, sizeof(sizes) - used, "%s%llu",
		                           d == 0 ? "" : ",",
		                           (unsigned long long)prediction->local[d]);
	note_add(prediction->note, sizeof(prediction->note), "assumed local size %s", sizes);
}

/* Each fits, or launch_check had refused it; OpenCL may keep some elsewhere. */
static void note_memory(const struct device *device, const struct launch *launch,
                        struct prediction *prediction)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < launch->argument_count; i++)
		if (__builtin_add_overflow(bytes, launch_argument_bytes(&launch->arguments[i]),
		                           &bytes))
			bytes = UINT64_MAX;
	if (device->global_bytes > 0 && bytes > device->global_bytes)
		note_add(prediction->note, sizeof(prediction->note),
		         "buffers of %llu bytes in all are over the device's memory of %llu bytes",
		         (unsigned long long)bytes, (unsigned long long)device->global_bytes);
}

/* One more line, where there is room for all of it. */
static void warn(char text[PREDICTION_NOTE_MAX], const char *format, ...)
        __attribute__((format(printf, 2, 3)));

static void warn(char text[PREDICTION_NOTE_MAX], const char *format, ...)
{
	size_t used = strlen(text), room = PREDICTION_NOTE_MAX - used;
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text + used + (used > 0), room - (used > 0), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length + 1 + (used > 0) > room)
		text[used] = '\0';
	else if (used > 0)
		text[used] = '\n';
}

/* How far the launch gets in an object; none: no address of it is known. */
struct reach {
	double high_bytes, low_bytes;
	uint32_t high_line, low_line;
	bool is_known;
};

static struct reach reach_of(const struct model_input *input, uint32_t object)
{
	const struct ir_kernel *kernel = input->kernel;
	struct reach reach = {0};

	for (uint32_t a = 0; a < kernel->access_count; a++) {
		const struct evaluation_access *access = &input->evaluation->accesses[a];
		const struct ir_access *of = &kernel->accesses[a];
		/* vload3 and vstore3 leave the fourth element alone */
		double beyond = of->is_packed && of->type.width == 3
		                        ? scalar_bytes((enum scalar)of->type.scalar)
		                        : 0;

		if (of->object != object || access->unknown > 0 ||
		    access->high_bytes <= access->low_bytes)
			continue;
		if (!reach.is_known || access->high_bytes - beyond > reach.high_bytes) {
			reach.high_bytes = access->high_bytes - beyond;
			reach.high_line = of->line;
		}
		if (!reach.is_known || access->low_bytes < reach.low_bytes) {
			reach.low_bytes = access->low_bytes;
			reach.low_line = of->line;
		}
		reach.is_known = true;
	}
	return reach;
}

/*
 * Buffers, local memory and arrays that end before what the launch accesses. Of what data or hints
 * decide nobody knows whether it is accessed: that is a doubt, not a warning. Warps and iterations
 * are sampled, so accesses may reach farther still.
 */
static void warn_reach(const struct model_input *input, struct prediction *prediction)
{
	const struct ir_kernel *kernel = input->kernel;
	bool is_sure = !input->evaluation->is_data_dependent && !input->evaluation->is_capped &&
	               input->launch->hint_count == 0;
	char *text = is_sure ? prediction->warning : prediction->doubt;
	const char *how = is_sure ? "reaches" : "reaches where data lead there";

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct launch_argument *given = &input->launch->arguments[i];
		struct reach reach;

		if (given->kind != ARGUMENT_BUFFER && given->kind != ARGUMENT_LOCAL)
			continue;
		reach = reach_of(input, kernel->arguments[i].object);
		if (reach.high_bytes > (double)given->size_bytes)
			warn(text,
			     "argument %u (%.40s): want at least %.0f bytes, as line %u %s, got "
			     "%llu",
			     i, kernel->arguments[i].name, reach.high_bytes, reach.high_line, how,
			     (unsigned long long)given->size_bytes);
		if (is_sure && reach.low_bytes < 0)
			warn(text,
			     "argument %u (%.40s): line %u reaches %.0f bytes before its beginning",
			     i, kernel->arguments[i].name, reach.low_line, -reach.low_bytes);
	}
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct ir_object *object = &kernel->objects[i];
		struct reach reach;

		/* of private arrays in lockstep addresses are those of all lanes together */
		if (object->argument != IR_NONE || object->size_bytes == 0 ||
		    (object->space != SPACE_LOCAL &&
		     (object->space != SPACE_PRIVATE || device_is_lockstep(input->device))))
			continue;
		reach = reach_of(input, i);
		if (reach.high_bytes > (double)object->size_bytes)
			warn(text, "array %.40s: line %u %s byte %.0f of its %llu", object->name,
			     reach.high_line, how, reach.high_bytes,
			     (unsigned long long)object->size_bytes);
	}
}

/* Buffers, local memory and arrays that the launch may access anywhere, as data have it. */
static void doubt_unbound(const struct model_input *input, struct prediction *prediction)
{
	const struct ir_kernel *kernel = input->kernel;
	bool *is_unbound = calloc((size_t)kernel->access_count + 1, sizeof(*is_unbound));

	if (is_unbound && unbound_find(kernel, is_unbound))
		for (uint32_t a = 0; a < kernel->access_count; a++)
			if (is_unbound[a] && input->evaluation->accesses[a].executions > 0)
				warn(prediction->doubt,
				     "%.40s: where line %u accesses it hangs on data that nothing "
				     "bounds",
				     kernel->objects[kernel->accesses[a].object].name,
				     kernel->accesses[a].line);
	free(is_unbound);
}

/* Loops that the launch enters and never leaves. */
static void warn_endless(const struct model_input *input, struct prediction *prediction)
{
	const struct ir_summary *summary = input->kernel->summary;

	for (uint32_t i = 0; i < summary->loop_count; i++)
		if (input->evaluation->loops[i].is_endless)
			warn(prediction->warning, "line %u: the loop has no end for this launch",
			     input->kernel->statements[summary->loops[i].statement].line);
}

/* Active work-items of a warp that executes a block, in shares of those that a warp may have. */
static double lanes_of(const struct evaluation *evaluation, uint32_t block)
{
	const struct evaluation_block *of = &evaluation->blocks[block];

	return of->warp_executions > 0
	               ? of->executions * evaluation->warp_items / of->warp_executions
	               : 0;
}

/* Whether a branch that the launch decides parts warps: its side has fewer lanes than it has. */
static bool parts_warps(const struct model_input *input, uint32_t branch, uint32_t side)
{
	const struct evaluation *evaluation = input->evaluation;
	const struct ir_statement *statement = &input->kernel->statements[branch];
	double within = lanes_of(evaluation, side);

	return input->kernel->summary->node_is_integer_known[statement->condition] && within > 0 &&
	       within < lanes_of(evaluation, statement->block) * (1 - 1e-6);
}

/*
 * Barriers that some work-items of a warp meet and others do not: undefined (OpenCL C 3.0, 6.15.8).
 * Warps are as full as each other, or what some of them skip would look the same.
 */
static void warn_barriers(const struct model_input *input, struct prediction *prediction)
{
	const struct ir_kernel *kernel = input->kernel;
	const struct evaluation *evaluation = input->evaluation;

	if (evaluation->group_items > evaluation->warp_items &&
	    evaluation->group_items % evaluation->warp_items != 0)
		return;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		bool is_parted = false;

		if (kernel->statements[i].kind != STATEMENT_BARRIER)
			continue;
		for (uint32_t block = kernel->statements[i].block;
		     kernel->blocks[block].owner != IR_NONE && !is_parted;
		     block = kernel->statements[kernel->blocks[block].owner].block) {
			uint32_t owner = kernel->blocks[block].owner;

			is_parted = kernel->statements[owner].kind == STATEMENT_BRANCH &&
			            parts_warps(input, owner, block);
		}
		if (is_parted)
			warn(prediction->warning,
			     "line %u: some work-items of a group do not meet the barrier",
			     kernel->statements[i].line);
	}
}

static void describe_accesses(const struct model_input *input, struct prediction *prediction)
{
	const struct ir_kernel *kernel = input->kernel;

	for (uint32_t i = 0; i < kernel->access_count && i < PREDICTION_ACCESSES_MAX; i++) {
		const struct evaluation_access *access = &input->evaluation->accesses[i];

		prediction->accesses[prediction->access_count++] = (struct prediction_access){
		        .access = i,
		        .pattern = (uint8_t)pattern_of(kernel, input->evaluation, input->device, i),
		        .segments_per_warp = access->segments,
		        .bank_ways =
		                kernel->objects[kernel->accesses[i].object].space == SPACE_LOCAL
		                        ? access->ways
		                        : 1,
		        .executions = access->executions,
		};
	}
}

enum status predict(const struct ir_kernel *kernel, const struct device *device,
                    const struct launch *launch, const struct prediction_options *options,
                    struct prediction *prediction, struct error *error)
{
	static const struct prediction_options defaults = {.model = MODEL_DEFAULT};
	struct evaluation evaluation = {0};
	struct launch *checked = malloc(sizeof(*checked));
	struct prediction *result = calloc(1, sizeof(*result));
	struct model_input input = {
	        .kernel = kernel, .device = device, .launch = checked, .evaluation = &evaluation};
	enum status status = STATUS_NO_MEMORY;
	struct device *priced = NULL; /* as the build's options have it */
	struct what_if_change change = {0};
	double unknown = 0;

	if (!options)
		options = &defaults;
	if (options->lines)
		*options->lines = (struct prediction_lines){0};
	if (!checked || !result) {
		error_set(error, status, "%s: no memory to predict", kernel->name);
		goto out;
	}
	if (!device->is_calibrated) {
		status =
		        error_set(error, STATUS_UNCALIBRATED, "%s is not calibrated", device->name);
		goto out;
	}
	if ((unsigned)options->model >= MODEL_COUNT) {
		status = error_set(error, STATUS_INVALID, "model %u: want 0 to %d",
		                   (unsigned)options->model, MODEL_COUNT - 1);
		goto out;
	}
	if (options->model == MODEL_DEFAULT) {
		status = build_device(device, kernel->build, &priced, error);
		if (status != STATUS_OK)
			goto out;
		if (priced)
			input.device = device = priced;
	}
	launch_copy(checked, launch);
	status = launch_check(kernel, device, checked, error);
	if (status != STATUS_OK)
		goto out;
	if (options->what_if.kind != WHAT_IF_NONE) {
		status = what_if_apply(kernel, &options->what_if, checked, &change, error);
		if (status == STATUS_OK && change.kernel)
			input.kernel = kernel = change.kernel;
		if (status != STATUS_OK)
			goto out;
	}
	result->model = (uint8_t)options->model;
	result->basis = BASIS_STATIC;
	result->epoch = device->epoch;
	result->launch_time_s = device_idle_value(device, IDLE_ENQUEUE, checked->idle_s, 0);
	memcpy(result->local, checked->local, sizeof(result->local));
	note_memory(device, checked, result);
	bool is_assumed = !launch->has_local && kernel->required_local[0] == 0;
	bool is_fallback = kernel->unsupported[0] != '\0' || !kernel->summary;
	if (!is_fallback) {
		status = evaluate(kernel, device, checked,
		                  options->budget > 0 ? options->budget : PREDICTION_BUDGET,
		                  &evaluation, error);
		if (status != STATUS_OK)
			goto out;
		if (options->what_if.kind != WHAT_IF_NONE)
			what_if_evaluated(kernel, device, checked, &options->what_if, &change,
			                  &evaluation);
		unknown = interval_unknown_share(&input);
		is_fallback = unknown > INTERVAL_UNKNOWN_MOST;
	}
	if (is_fallback) {
		/* why it is one comes first */
		model_fallback(&input,
		               kernel->unsupported[0] != '\0' ? kernel->unsupported
		                                              : kernel->unknown,
		               result);
		if (is_assumed)
			note_local(result, checked->dimensions);
	} else {
		if (unknown > 0)
			note_add(result->note, sizeof(result->note), "%s: %.0f %% of what runs",
			         kernel->unknown, fmax(100 * unknown, 1));
		if (is_assumed)
			note_local(result, checked->dimensions);
		result->is_capped = evaluation.is_capped;
		result->is_data_dependent = evaluation.is_data_dependent;
		if (evaluation.note[0] != '\0')
			note_add(result->note, sizeof(result->note), "%s", evaluation.note);
		warn_reach(&input, result);
		if (options->with_doubts)
			doubt_unbound(&input, result);
		warn_endless(&input, result);
		warn_barriers(&input, result);
		describe_accesses(&input, result);
		if (options->with_what_ifs)
			what_if_list(kernel, device, checked, &evaluation, result);
		if (options->model == MODEL_DEFAULT)
			status = model_default(&input, result, options->lines, error);
		else
			model_paper(&input, options->model == MODEL_PATTERN, result);
		if (status == STATUS_OK)
			status = interval_examine(&input, result, error);
		if (status != STATUS_OK)
			goto out;
	}
	if (options->with_transfers)
		predict_transfers(device, checked, options->is_pinned, result);
	/* a device of which nothing is known still takes some time */
	result->kernel_time_s = fmin(fmax(result->kernel_time_s, 1e-9), 1e30);
	interval_fill(device, result);
	*prediction = *result;
	status = STATUS_OK;
out:
	evaluation_deinit(&evaluation);
	what_if_deinit(&change);
	free(priced);
	free(checked);
	free(result);
	return status;
}
