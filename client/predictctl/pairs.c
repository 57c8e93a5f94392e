/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of devices that slow each other down. */
#include "client/predictctl/pairs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/predictctl/text.h"

enum { NAMED_MAX = 4 /* pairs that a sentence names */ };

bool pairs_init(struct pairs *pairs, predictd_connection *connection, const char *const *keys,
                const char *const *names, size_t count)
{
	*pairs = (struct pairs){.count = count, .keys = keys, .names = names};
	pairs->slowdowns = calloc(count * count + 1, sizeof *pairs->slowdowns);
	return pairs->slowdowns != NULL &&
	       predictd_contention(connection, keys, count, pairs->slowdowns) == PREDICTD_OK;
}

static const predictd_slowdown *slowdown_at(const struct pairs *pairs, size_t own, size_t other)
{
	return &pairs->slowdowns[own * pairs->count + other];
}

bool pairs_list(struct pairs *pairs, predictd_connection *connection,
                const predictd_devices *devices, enum pairs_of of)
{
	enum { DEVICES_MAX = 64 }; /* of predictd_contention */
	const char **listed = calloc(2 * devices->count + 1, sizeof *listed);
	size_t count = 0;
	for (size_t i = 0; i < devices->count && listed != NULL && count < DEVICES_MAX; i++) {
		const predictd_device *device = &devices->devices[i];
		if (!device->is_present && (of == PAIRS_OF_HERE || !device->is_calibrated))
			continue;
		listed[devices->count + count] = device->name;
		listed[count++] = device->key;
	}
	bool is_told = listed != NULL &&
	               pairs_init(pairs, connection, listed, listed + devices->count, count);
	pairs->listed = listed;
	pairs->from = devices;
	if (!is_told) /* what was not told is not said to be unknown */
		pairs->count = 0;
	return is_told;
}

/* Whether only its calibration is known here: it can be measured with no other. */
static bool is_away(const struct pairs *pairs, size_t device)
{
	for (size_t i = 0; pairs->from != NULL && i < pairs->from->count; i++)
		if (strcmp(pairs->from->devices[i].key, pairs->keys[device]) == 0)
			return !pairs->from->devices[i].is_present;
	return false;
}

void pairs_tell(const struct pairs *pairs, FILE *file)
{
	for (size_t i = 0; i < pairs->count; i++)
		for (size_t j = i + 1; j < pairs->count; j++) {
			const predictd_slowdown *one = slowdown_at(pairs, i, j);
			char when[32] = "";
			time_t at = (time_t)one->measured_at_s;
			struct tm broken;
			if (localtime_r(&at, &broken) != NULL)
				(void)strftime(when, sizeof when, "%Y-%m-%d %H:%M", &broken);
			bool is_measured = one->is_known || one->is_stale;
			size_t away = is_away(pairs, i) ? i : j;
			(void)fprintf(file, "%s and %s: ", pairs_name(pairs, i),
			              pairs_name(pairs, j));
			if (is_measured)
				(void)fprintf(file, "measured together %s%s", when,
				              one->is_stale   ? ", stale"
				              : one->was_busy ? ", busy"
				                              : "");
			else
				(void)fputs("not measured together", file);
			if (is_away(pairs, i) && is_away(pairs, j))
				(void)fputs(is_measured ? ", both away" : ": both are away", file);
			else if (is_away(pairs, away))
				(void)fprintf(file, is_measured ? ", %s away" : ": %s is away",
				              pairs_name(pairs, away));
			(void)fputc('\n', file);
		}
}

void pairs_deinit(struct pairs *pairs)
{
	free(pairs->listed);
	free(pairs->slowdowns);
	*pairs = (struct pairs){0};
}

/* Those that are not known, or have another driver by now. */
static size_t unknown_count(const struct pairs *pairs)
{
	size_t unknown = 0;
	for (size_t i = 0; i < pairs->count && pairs->slowdowns != NULL; i++)
		for (size_t j = i + 1; j < pairs->count; j++)
			unknown += !slowdown_at(pairs, i, j)->is_known;
	return unknown;
}

bool pairs_are_known(const struct pairs *pairs)
{
	return pairs->slowdowns != NULL && unknown_count(pairs) == 0;
}

const char *pairs_name(const struct pairs *pairs, size_t device)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (i != device && strcmp(pairs->names[i], pairs->names[device]) == 0)
			return pairs->keys[device];
	return pairs->names[device];
}

void pairs_print(const struct pairs *pairs, FILE *file)
{
	size_t unknown = unknown_count(pairs), all = pairs->count * (pairs->count - 1) / 2;
	size_t said = 0;
	bool was_busy = false;
	for (size_t i = 0; i < pairs->count * pairs->count && pairs->slowdowns != NULL; i++)
		was_busy |= pairs->slowdowns[i].was_busy;
	if (pairs->count < 2 || pairs->slowdowns == NULL)
		return;
	(void)fprintf(file, "%sassumed: devices ", color_dim());
	if (unknown == 0)
		(void)fputs("slow each other down as was measured", file);
	else if (unknown == all)
		(void)fputs("do not disturb each other; not measured: ", file);
	else
		(void)fputs("slow each other down as was measured, but for: ", file);
	for (size_t i = 0; i < pairs->count; i++)
		for (size_t j = i + 1; j < pairs->count; j++) {
			const predictd_slowdown *one = slowdown_at(pairs, i, j);
			if (one->is_known || said++ >= NAMED_MAX)
				continue;
			(void)fprintf(file, "%s%s and %s%s", said > 1 ? ", " : "",
			              pairs_name(pairs, i), pairs_name(pairs, j),
			              one->is_stale ? " (with another driver)" : "");
		}
	if (said > NAMED_MAX)
		(void)fprintf(file, ", and %zu more", said - NAMED_MAX);
	if (was_busy)
		(void)fputs("; others used the machine meanwhile", file);
	(void)fprintf(file, "%s%s\n",
	              unknown > 0 || was_busy ? " (`predictctl calibrate --pairs`)" : "",
	              color_end());
}

static json_t *factors_json(const predictd_slowdown *slowdown)
{
	json_t *object = json_object();
	for (int i = 0; i < PREDICTD_LOADS; i++) {
		json_t *row = json_object();
		for (int j = 0; j < PREDICTD_LOADS; j++)
			json_object_set_new(row, predictd_load_name((predictd_load)j),
			                    json_real(slowdown->factors[i][j]));
		json_object_set_new(object, predictd_load_name((predictd_load)i), row);
	}
	return object;
}

json_t *pairs_json(const struct pairs *pairs)
{
	json_t *list = json_array();
	for (size_t i = 0; i < pairs->count && pairs->slowdowns != NULL; i++)
		for (size_t j = i + 1; j < pairs->count; j++) {
			const predictd_slowdown *one = slowdown_at(pairs, i, j);
			json_t *object = json_pack("{s[ss] sb sb}", "device_keys", pairs->keys[i],
			                           pairs->keys[j], "known", one->is_known, "stale",
			                           one->is_stale);
			json_array_append_new(list, object);
			if (!one->is_known)
				continue;
			json_t *more = json_pack("{sb sI sf s[oo]}", "busy", one->was_busy,
			                         "measured_at_s", (json_int_t)one->measured_at_s,
			                         "standard_error", one->standard_error, "slowdowns",
			                         factors_json(one),
			                         factors_json(slowdown_at(pairs, j, i)));
			(void)json_object_update(object, more);
			json_decref(more);
		}
	return list;
}
