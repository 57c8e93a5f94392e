/* SPDX-License-Identifier: Apache-2.0 */
/* A question as a Launch message. */
#include "client/library/message.h"

#include <stdlib.h>

#include "client/library/program.h"
#include "client/library/sample.h"
#include "client/library/scalar.h"

/* One allocation: the message, then what its pointers point to. */
struct launch_block {
	Predictd__Launch launch;
	uint64_t global[3], local[3], offset[3];
	Predictd__Argument **argument_list;
	Predictd__Hint **hint_list;
	Predictd__Argument *arguments;
	Predictd__Hint *hints;
};

static predictd_status argument_fill(const predictd_argument *from, size_t index,
                                     Predictd__Argument *to)
{
	predictd__argument__init(to);
	to->kind = (uint32_t)from->kind;
	to->access = from->access;
	to->size_bytes = from->size_bytes;
	to->has_range = from->has_range;
	to->low = from->low;
	to->high = from->high;
	to->width = from->width;
	to->height = from->height;
	to->depth = from->depth;
	if (from->init != NULL)
		to->init = (char *)from->init;
	if (from->type != NULL)
		to->type = (char *)from->type;
	if (from->kind != PREDICTD_SCALAR)
		return PREDICTD_OK;
	struct scalar_type type;
	if (!scalar_type_parse(to->type, &type))
		return error_keep(PREDICTD_INVALID, "argument %zu: no scalar type: '%.32s'", index,
		                  to->type);
	if (type.kind == SCALAR_REAL) {
		to->n_reals = type.lanes;
		to->reals = (double *)from->reals;
	} else {
		to->n_integers = type.lanes;
		to->integers = (int64_t *)from->integers;
	}
	return PREDICTD_OK;
}

predictd_status launch_new(const predictd_question *question, bool with_samples,
                           Predictd__Launch **result)
{
	size_t arguments = question->argument_count, hints = question->hint_count;
	with_samples = with_samples && question->program != NULL &&
	               question->program->connection->sends_samples;
	if (question->dimensions < 1 || question->dimensions > 3)
		return error_keep(PREDICTD_INVALID, "want 1 to 3 dimensions, have %u",
		                  question->dimensions);
	if (arguments > MESSAGE_ARGUMENTS_MAX || hints > MESSAGE_HINTS_MAX)
		return error_keep(PREDICTD_LIMIT,
		                  "%zu arguments and %zu hints: want at most %d of each", arguments,
		                  hints, MESSAGE_ARGUMENTS_MAX);
	struct launch_block *block = calloc(1, sizeof *block);
	if (block == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
	predictd__launch__init(&block->launch);
	block->arguments = calloc(arguments + 1, sizeof *block->arguments);
	block->argument_list = calloc(arguments + 1, sizeof *block->argument_list);
	block->hints = calloc(hints + 1, sizeof *block->hints);
	block->hint_list = calloc(hints + 1, sizeof *block->hint_list);
	predictd_status status = PREDICTD_OK;
	if (block->arguments == NULL || block->argument_list == NULL || block->hints == NULL ||
	    block->hint_list == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
		goto out;
	}
	Predictd__Launch *launch = &block->launch;
	uint32_t dimensions = question->dimensions;
	bool has_local = false, has_offset = false;
	for (uint32_t i = 0; i < dimensions; i++) {
		block->global[i] = question->global[i];
		block->local[i] = question->local[i];
		block->offset[i] = question->offset[i];
		has_local |= question->local[i] != 0;
		has_offset |= question->offset[i] != 0;
	}
	launch->global_items = block->global;
	launch->n_global_items = dimensions;
	launch->local_items = block->local;
	launch->n_local_items = has_local ? dimensions : 0;
	launch->offset_items = block->offset;
	launch->n_offset_items = has_offset ? dimensions : 0;
	for (size_t i = 0; i < arguments && status == PREDICTD_OK; i++) {
		block->argument_list[i] = &block->arguments[i];
		status = argument_fill(&question->arguments[i], i, &block->arguments[i]);
		const predictd_sample *sample = argument_sample(&question->arguments[i]);
		if (with_samples && sample != NULL)
			block->arguments[i].sample = (ProtobufCBinaryData){
			        SAMPLE_NAME_BYTES, (uint8_t *)(uintptr_t)sample->name};
	}
	for (size_t i = 0; i < hints; i++) {
		predictd__hint__init(&block->hints[i]);
		block->hints[i].is_branch = question->hints[i].is_branch;
		block->hints[i].line = question->hints[i].line;
		block->hints[i].value = question->hints[i].value;
		block->hint_list[i] = &block->hints[i];
	}
	launch->arguments = block->argument_list;
	launch->n_arguments = arguments;
	launch->hints = block->hint_list;
	launch->n_hints = hints;
	launch->idle_s = question->idle_s;
out:
	if (status != PREDICTD_OK)
		launch_free(&block->launch);
	else
		*result = &block->launch;
	return status;
}

void launch_free(Predictd__Launch *launch)
{
	if (launch == NULL)
		return;
	struct launch_block *block = (struct launch_block *)launch;
	free(block->arguments);
	free(block->argument_list);
	free(block->hints);
	free(block->hint_list);
	free(block);
}
