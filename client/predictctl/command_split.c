/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl split: one launch over several devices, from predictions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/arguments.h"
#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/pairs.h"
#include "client/predictctl/table.h"

/* What each reason says to people: of a device, and of the whole launch. */
static const char *device_reason(predictd_split_reason reason)
{
	switch (reason) {
	case PREDICTD_SPLIT_BALANCED:
		return "ends with the others";
	case PREDICTD_SPLIT_GRANULE:
		return "granules are too large for it to end with the others";
	case PREDICTD_SPLIT_LAUNCH:
		return "left out: one granule takes it longer than all take the others";
	case PREDICTD_SPLIT_TRANSFERS:
		return "left out: transfers for one granule take longer than all take the others";
	case PREDICTD_SPLIT_SLOWDOWN:
		return "left out: it would hold up the others";
	case PREDICTD_SPLIT_ALONE:
		return "does it all";
	}
	return predictd_split_reason_name(reason);
}

/* The devices that are meant: those named, else all that are here and calibrated. */
struct chosen {
	predictd_devices *listed;
	size_t count;
	const char *keys[PREDICTD_SPLIT_DEVICES_MAX];
	const char *names[PREDICTD_SPLIT_DEVICES_MAX];
};

static enum exit_code device_add(struct chosen *chosen, const predictd_device *device)
{
	if (chosen->count == PREDICTD_SPLIT_DEVICES_MAX) {
		complain("split", "want at most %d devices: name them with --device",
		         PREDICTD_SPLIT_DEVICES_MAX);
		return EXIT_USAGE;
	}
	chosen->keys[chosen->count] = device->key;
	chosen->names[chosen->count++] = device->name;
	return EXIT_DONE;
}

static enum exit_code devices_choose(predictd_connection *connection, const struct options *options,
                                     struct chosen *chosen)
{
	enum exit_code code = EXIT_DONE;
	predictd_status status = predictd_list_devices(connection, false, &chosen->listed);
	if (status != PREDICTD_OK)
		return complain_of("split", status);
	for (size_t i = 0; i < options->device_count && code == EXIT_DONE; i++) {
		const predictd_device *device;
		const char *text = options->devices[i];
		enum device_found found = device_find(chosen->listed, text, &device);
		if (found != DEVICE_FOUND) {
			complain(
			        "split",
			        found == DEVICE_NONE
			                ? "no device '%s'; see `predictctl devices`"
			                : "more than one device has '%s'; see `predictctl devices`",
			        text);
			return EXIT_FAILED;
		}
		code = device_add(chosen, device);
	}
	for (size_t i = 0; i < chosen->listed->count && options->device_count == 0; i++) {
		const predictd_device *device = &chosen->listed->devices[i];
		if (device->is_calibrated && device->is_present && code == EXIT_DONE)
			code = device_add(chosen, device);
	}
	if (chosen->count == 0) {
		complain("split", "no calibrated device is here: name some with --device");
		code = EXIT_UNCALIBRATED;
	}
	return code;
}

/* ARGUMENT[:SIZE], by the kernel's own names or by number. */
static bool buffer_parse(const struct ask *ask, const char *text, predictd_split_buffer *buffer,
                         struct complaint *why)
{
	const predictd_kernel *kernels = NULL;
	size_t count = predictd_program_kernels(ask->programs[0].program, &kernels);
	size_t length = strcspn(text, ":");
	const char *meant = ask_kernel(ask, 0);
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	*buffer = (predictd_split_buffer){.argument = number};
	if (text[length] == ':' &&
	    (!size_parse(text + length + 1, &buffer->granule_bytes, why) ||
	     (buffer->granule_bytes == 0 && !refuse(why, "want a size above 0, have '%s'", text))))
		return false;
	if (length > 0 && text[0] >= '0' && text[0] <= '9' && end == text + length)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(kernels[i].name, meant) != 0)
			continue;
		for (size_t j = 0; j < kernels[i].argument_count; j++) {
			const char *name = kernels[i].argument_names[j];
			buffer->argument = j;
			if (strlen(name) == length && strncmp(name, text, length) == 0)
				return true;
		}
	}
	return refuse(why, "no argument '%.*s' of %s", (int)(length < 60 ? length : 60), text,
	              meant);
}

/* Above what a JSON integer holds here, a real. */
static json_t *json_count(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

static json_t *share_json(const predictd_share *share, const struct chosen *chosen, size_t i)
{
	json_t *object = json_pack(
	        "{so ss so ss so so so so}", "device", json_text(chosen->names[i]), "device_key",
	        chosen->keys[i], "granules", json_count(share->granules), "reason",
	        predictd_split_reason_name(share->reason), "granule_time_s",
	        json_finite(share->granule_time_s), "alone_time_s", json_finite(share->alone_s),
	        "alone_low_s", json_finite(share->alone_low_s), "alone_high_s",
	        json_finite(share->alone_high_s));
	if (share->granules == 0)
		return object;
	json_t *more = json_pack(
	        "{so so so so so so so so so so so}", "begin", json_count(share->begin), "items",
	        json_count(share->items), "time_s", json_finite(share->time_s), "low_s",
	        json_finite(share->low_s), "high_s", json_finite(share->high_s), "launch_time_s",
	        json_finite(share->launch_time_s), "kernel_time_s",
	        json_finite(share->kernel_time_s), "h2d_time_s", json_finite(share->h2d_time_s),
	        "d2h_time_s", json_finite(share->d2h_time_s), "h2d_bytes",
	        json_count(share->h2d_bytes), "d2h_bytes", json_count(share->d2h_bytes));
	(void)json_object_update(object, more);
	json_decref(more);
	return object;
}

/* ---- what arguments are to a part ---------------------------------------------------------- */

static const char *argument_name(const struct ask *ask, size_t argument)
{
	const predictd_kernel *kernels = NULL;
	size_t count = predictd_program_kernels(ask->programs[0].program, &kernels);
	for (size_t i = 0; i < count; i++)
		if (strcmp(kernels[i].name, ask_kernel(ask, 0)) == 0 &&
		    argument < kernels[i].argument_count)
			return kernels[i].argument_names[argument];
	return "";
}

static bool is_said(const predictd_splitting *splitting, size_t argument)
{
	for (size_t i = 0; i < splitting->buffer_count; i++)
		if (splitting->buffers[i].argument == argument)
			return true;
	return false;
}

static json_t *reach_json(const predictd_reach *reach)
{
	static const char *const kinds[] = {"nothing", "part", "whole"};
	json_t *object = json_pack("{ss}", "kind", kinds[reach->kind]);
	if (reach->kind == PREDICTD_REACH_PART)
		(void)json_object_update_new(object,
		                             json_pack("{sI sI sI}", "stride_bytes",
		                                       (json_int_t)reach->stride_bytes, "low_bytes",
		                                       (json_int_t)reach->low_bytes, "high_bytes",
		                                       (json_int_t)reach->high_bytes));
	return object;
}

static json_t *arguments_json(const struct ask *ask, const predictd_splitting *splitting,
                              const predictd_split_argument *arguments)
{
	json_t *list = json_array();
	for (size_t i = 0; i < splitting->question->argument_count; i++) {
		const predictd_split_argument *argument = &arguments[i];
		unsigned kind = (unsigned)splitting->question->arguments[i].kind;
		if (kind != PREDICTD_BUFFER && kind != PREDICTD_IMAGE)
			continue;
		(void)json_array_append_new(
		        list,
		        json_pack("{sI so sb so so sb ss}", "argument", (json_int_t)i, "name",
		                  json_text(argument_name(ask, i)), "is_said",
		                  is_said(splitting, i), "reads", reach_json(&argument->reads),
		                  "writes", reach_json(&argument->writes), "is_filled",
		                  argument->is_filled, "refusal", argument->refusal));
	}
	return list;
}

/* "reads 256 B a granule and 8 B of neighbours" */
static void reach_print(const char *word, const predictd_reach *reach, uint64_t granule)
{
	char bytes[TEXT_MAX];
	double stride = (double)reach->stride_bytes, halo = 0;
	if (reach->kind == PREDICTD_REACH_NOTHING)
		return;
	if (reach->kind == PREDICTD_REACH_WHOLE) {
		(void)printf("  %s the whole", word);
		return;
	}
	if (reach->stride_bytes == 0) {
		format_bytes(bytes, (double)reach->high_bytes - (double)reach->low_bytes);
		(void)printf("  %s the same %s in each part", word, bytes);
		return;
	}
	format_bytes(bytes, (stride < 0 ? -stride : stride) * (double)granule);
	(void)printf("  %s %s a granule", word, bytes);
	halo += reach->low_bytes < 0 ? -(double)reach->low_bytes : 0;
	halo += reach->high_bytes > 0 ? (double)reach->high_bytes : 0;
	if (halo == 0)
		return;
	format_bytes(bytes, halo);
	(void)printf(" and %s around the part", bytes);
}

static void arguments_print(const struct ask *ask, const predictd_splitting *splitting,
                            const predictd_split_argument *arguments, uint64_t granule)
{
	for (size_t i = 0; i < splitting->question->argument_count; i++) {
		const predictd_split_argument *argument = &arguments[i];
		if (argument->reads.kind == PREDICTD_REACH_NOTHING &&
		    argument->writes.kind == PREDICTD_REACH_NOTHING)
			continue;
		(void)printf("%s:", argument_name(ask, i));
		if (is_said(splitting, i)) {
			(void)printf("  split, as --split says\n");
			continue;
		}
		reach_print("reads", &argument->reads, granule);
		if (argument->refusal[0] == '\0')
			reach_print("writes", &argument->writes, granule);
		else
			(void)printf("  not to be split: %s", argument->refusal);
		(void)printf("\n");
	}
}

static void split_json(const struct ask *ask, const predictd_splitting *splitting,
                       const predictd_split_argument *arguments, const predictd_share *shares,
                       const predictd_split_answer *answer, const struct chosen *chosen,
                       const struct pairs *pairs)
{
	json_t *list = json_array();
	for (size_t i = 0; i < chosen->count; i++)
		json_array_append_new(list, share_json(&shares[i], chosen, i));
	print_json(json_pack(
	        "{so so so so so so so ss so so so ss sb so}", "shares", list, "arguments",
	        arguments_json(ask, splitting, arguments), "granule_items",
	        json_count(answer->granule_items), "granules", json_count(answer->granules),
	        "time_s", json_finite(answer->time_s), "low_s", json_finite(answer->low_s),
	        "high_s", json_finite(answer->high_s), "best_device_key",
	        chosen->keys[answer->best], "gain", json_finite(answer->gain), "gain_low",
	        json_finite(answer->gain_low), "gain_high", json_finite(answer->gain_high),
	        "reason", predictd_split_reason_name(answer->reason), "contention_known",
	        answer->has_slowdowns, "contention", pairs_json(pairs)));
}

static void split_table(const predictd_share *shares, const predictd_split_answer *answer,
                        const struct chosen *chosen, bool has_transfers, const struct pairs *pairs)
{
	char time[TEXT_MAX], interval[TEXT_MAX], up[TEXT_MAX], down[TEXT_MAX];
	uint64_t items = 0;
	size_t used = 0;
	struct table *table = table_new(has_transfers ? "lrrrrrrrl" : "lrrrrrl");
	static const char *const heads[] = {
	        "device", "share", "from", "work-items", "in all", "to it", "back", "alone", ""};
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		if (has_transfers || (i != 5 && i != 6))
			table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < chosen->count; i++) {
		items += shares[i].items;
		used += shares[i].granules > 0;
	}
	for (size_t i = 0; i < chosen->count; i++) {
		const predictd_share *share = &shares[i];
		bool is_used = share->granules > 0;
		format_time(time, share->time_s);
		format_time(up, share->h2d_time_s);
		format_time(down, share->d2h_time_s);
		table_cell(table, "%s", chosen->names[i]);
		table_cell(table, "%.1f %%", 100 * (double)share->items / (double)items);
		table_cell(table, is_used ? "%llu" : "-", (unsigned long long)share->begin);
		table_cell(table, is_used ? "%llu" : "-", (unsigned long long)share->items);
		table_cell(table, "%s", is_used ? time : "-");
		if (has_transfers) {
			table_cell(table, "%s", is_used ? up : "-");
			table_cell(table, "%s", is_used ? down : "-");
		}
		format_time(time, share->alone_s);
		table_cell(table, "%s", time);
		table_cell(table, "%s", device_reason(share->reason));
	}
	table_print(table, "", stdout);
	table_free(table);
	format_time(time, answer->time_s);
	format_interval(interval, answer->low_s, answer->high_s);
	(void)printf("in all %s  (%s, 90 %%), in granules of %llu work-item%s\n", time, interval,
	             (unsigned long long)answer->granule_items,
	             answer->granule_items == 1 ? "" : "s");
	format_time(time, shares[answer->best].alone_s);
	if (used == 1)
		(void)printf("nothing is gained by a split: %s alone is fastest\n",
		             chosen->names[answer->best]);
	else
		(void)printf("%.2f times as fast as %s alone, %s  (%.2f .. %.2f)\n", answer->gain,
		             chosen->names[answer->best], time, answer->gain_low,
		             answer->gain_high);
	pairs_print(pairs, stdout);
}

enum exit_code command_split(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	struct chosen chosen = {0};
	struct pairs pairs = {0};
	predictd_question question;
	predictd_split_buffer buffers[SIZES_MAX];
	predictd_share shares[PREDICTD_SPLIT_DEVICES_MAX];
	predictd_split_answer answer;
	const char *error;
	struct complaint why;
	predictd_split_argument *arguments = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status status = ask_init(&ask, &options->cases_list, connection);
	if (status != PREDICTD_OK) {
		code = complain_of("split", status);
		goto out;
	}
	status = ask_question(&ask, 0, options, &question, &error);
	if (status != PREDICTD_OK) {
		complain(options->cases_list.cases[0].id, "%s", error);
		code = exit_of(status);
		goto out;
	}
	question.model = options->model;
	for (size_t i = 0; i < options->split_count; i++) {
		if (buffer_parse(&ask, options->split[i], &buffers[i], &why))
			continue;
		complain("--split", "%s", why.text);
		code = EXIT_USAGE;
		goto out;
	}
	code = devices_choose(connection, options, &chosen);
	if (code != EXIT_DONE)
		goto out;
	const predictd_splitting splitting = {.question = &question,
	                                      .devices = chosen.keys,
	                                      .device_count = chosen.count,
	                                      .dimension = options->dimension,
	                                      .granule_items = options->granule,
	                                      .buffer_count = options->split_count,
	                                      .buffers = buffers};
	arguments = calloc(question.argument_count + 1, sizeof *arguments);
	if (arguments == NULL) {
		code = complain_of("split", PREDICTD_NO_MEMORY);
		goto out;
	}
	status = predictd_split(connection, &splitting, shares, &answer);
	if (status == PREDICTD_OK)
		status = predictd_split_arguments(connection, &splitting, answer.best, arguments);
	if (status != PREDICTD_OK) {
		code = complain_of(options->cases_list.cases[0].id, status);
		goto out;
	}
	/* remembered, since the split has asked */
	(void)pairs_init(&pairs, connection, chosen.keys, chosen.names, chosen.count);
	if (options->json) {
		split_json(&ask, &splitting, arguments, shares, &answer, &chosen, &pairs);
	} else {
		split_table(shares, &answer, &chosen, question.with_transfers, &pairs);
		arguments_print(&ask, &splitting, arguments, answer.granule_items);
	}
out:
	free(arguments);
	pairs_deinit(&pairs);
	predictd_devices_free(chosen.listed);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}
