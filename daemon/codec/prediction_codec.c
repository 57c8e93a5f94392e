/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction to its message. */
#include "daemon/codec/prediction_codec.h"

#include "model/whatif/whatif.h"
#include "proto/text.h"

#include <math.h>
#include <string.h>

static bool encode_rows(const struct prediction *prediction, Predictd__Prediction *message,
                        struct arena *arena)
{
	size_t count = prediction->row_count;
	if (count == 0)
		return true;
	Predictd__Row **rows = arena_allocate(arena, count * sizeof(*rows));
	Predictd__Row *row = arena_allocate(arena, count * sizeof *row);
	if (rows == NULL || row == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		predictd__row__init(&row[i]);
		row[i].what = arena_text(arena, prediction->rows[i].what);
		if (row[i].what == NULL)
			return false;
		row[i].count = prediction->rows[i].count;
		row[i].time_s = prediction->rows[i].time_s;
		rows[i] = &row[i];
	}
	message->rows = rows;
	message->n_rows = count;
	return true;
}

static bool encode_elasticities(const struct prediction *prediction, Predictd__Prediction *message,
                                struct arena *arena)
{
	message->elasticities = arena_allocate(arena, BOTTLENECK_COUNT * sizeof(double));
	if (message->elasticities == NULL)
		return false;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		message->elasticities[i] = (double)prediction->elasticity[i];
	message->n_elasticities = BOTTLENECK_COUNT;
	return true;
}

/* A line each: what is sure and, where it is asked for, what is not. */
static bool encode_warnings(const struct prediction *prediction, bool with_doubt,
                            Predictd__Prediction *message, struct arena *arena)
{
	const char *texts[] = {prediction->warning, with_doubt ? prediction->doubt : ""};
	size_t count = 2;
	for (unsigned i = 0; i < 2; i++)
		for (const char *at = texts[i]; *at != '\0'; at++)
			count += *at == '\n';
	message->warnings = arena_allocate(arena, count * sizeof *message->warnings);
	if (message->warnings == NULL)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		char *text = arena_text(arena, texts[i]), *rest = text, *line;
		if (text == NULL)
			return false;
		while (texts[i][0] != '\0' && (line = strsep(&rest, "\n")) != NULL)
			message->warnings[message->n_warnings++] = line;
	}
	return true;
}

bool what_ifs_encode(const struct ir_kernel *kernel, const struct prediction *prediction,
                     Predictd__Prediction *message, struct arena *arena)
{
	size_t count = prediction->what_if_count;
	if (count == 0)
		return true;
	Predictd__WhatIf *one = arena_allocate(arena, count * sizeof *one);
	message->what_ifs = arena_allocate(arena, count * sizeof *message->what_ifs);
	if (one == NULL || message->what_ifs == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct what_if *what_if = &prediction->what_ifs[i];
		char name[IR_NAME_MAX];
		predictd__what_if__init(&one[i]);
		what_if_name(kernel, what_if, name);
		one[i].kind = what_if->kind;
		one[i].place = what_if->place;
		one[i].detail = what_if->detail;
		one[i].is_sure = what_if->is_sure;
		one[i].line = what_if->line;
		one[i].word = arena_text(arena, what_if_word((enum what_if_kind)what_if->kind));
		one[i].name = arena_text(arena, name);
		if (one[i].word == NULL || one[i].name == NULL)
			return false;
		message->what_ifs[i] = &one[i];
	}
	message->n_what_ifs = count;
	return true;
}

Predictd__Prediction *prediction_encode(const struct prediction *prediction, bool with_rows,
                                        struct arena *arena)
{
	Predictd__Prediction *message = arena_allocate(arena, sizeof *message);
	if (message == NULL)
		return NULL;
	predictd__prediction__init(message);
	message->model = prediction->model;
	message->basis = prediction->basis;
	message->bottleneck = prediction->bottleneck;
	message->kernel_time_s = prediction->kernel_time_s;
	message->low_s = prediction->low_s;
	message->high_s = prediction->high_s;
	message->launch_time_s = prediction->launch_time_s;
	message->h2d_time_s = prediction->h2d_time_s;
	message->d2h_time_s = prediction->d2h_time_s;
	message->epoch = prediction->epoch;
	message->is_capped = prediction->is_capped;
	message->is_data_dependent = prediction->is_data_dependent;
	double followed = 0;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		followed += (double)prediction->elasticity[i];
	message->has_memory_share = followed > 0;
	if (followed > 0)
		message->memory_share =
		        fmin(fmax((double)prediction->elasticity[BOTTLENECK_DRAM], 0), 1);
	message->local_items = arena_allocate(arena, sizeof prediction->local);
	message->note = arena_text(arena, prediction->note);
	if (message->local_items == NULL || message->note == NULL)
		return NULL;
	memcpy(message->local_items, prediction->local, sizeof prediction->local);
	if (!encode_warnings(prediction, with_rows, message, arena))
		return NULL;
	message->n_local_items = sizeof prediction->local / sizeof prediction->local[0];
	if (with_rows && (!encode_rows(prediction, message, arena) ||
	                  !encode_elasticities(prediction, message, arena)))
		return NULL;
	return message;
}

bool prediction_encode_lines(const struct prediction_lines *lines, const struct ir_kernel *kernel,
                             Predictd__Prediction *message, struct arena *arena)
{
	double whole_s = message->kernel_time_s;
	size_t count = lines->count;
	Predictd__LineCost **list = arena_allocate(arena, (count + 1) * sizeof(*list));
	Predictd__LineCost *line = arena_allocate(arena, (count + 1) * sizeof(*line));
	if (list == NULL || line == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct prediction_line *from = &lines->at[i];
		predictd__line_cost__init(&line[i]);
		if (from->file > 0) {
			line[i].file = arena_text(arena, kernel->files[from->file - 1].name);
			if (line[i].file == NULL)
				return false;
		}
		line[i].line = from->line;
		line[i].time_s = from->share * whole_s;
		line[i].bottleneck = from->bottleneck;
		list[i] = &line[i];
	}
	message->lines = list;
	message->n_lines = count;
	message->lines_rest_s = lines->rest * whole_s;
	message->lines_elsewhere_s = lines->elsewhere * whole_s;
	return true;
}

bool prediction_encode_occupancy(const struct prediction *prediction, Predictd__Prediction *message,
                                 struct arena *arena)
{
	const struct prediction_occupancy *from = &prediction->occupancy;
	if (!(from->share > 0))
		return true;
	Predictd__Occupancy *to = arena_allocate(arena, sizeof *to);
	if (to == NULL)
		return false;
	predictd__occupancy__init(to);
	to->share = from->share;
	to->groups = from->groups;
	to->limit = from->limit;
	to->registers = from->registers;
	to->local_bytes = from->local_bytes;
	to->multiple = from->multiple;
	message->occupancy = to;
	return true;
}

Predictd__Error *error_encode(const struct error *error, struct arena *arena)
{
	Predictd__Error *message = arena_allocate(arena, sizeof *message);
	if (message == NULL)
		return NULL;
	predictd__error__init(message);
	message->status = error->status;
	message->text = arena_text(arena, error->text);
	if (message->text == NULL)
		return NULL;
	text_clean(message->text); /* what it quotes may have been cut */
	return message;
}
