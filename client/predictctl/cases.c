/* SPDX-License-Identifier: Apache-2.0 */
/* Launches to ask about, from a cases file. */
#include "client/predictctl/cases.h"

#include "client/predictctl/keys.h"
#include "client/predictctl/nearest.h"
#include "proto/text.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of `object`; NULL where absent. False when it is no text, or absent and needed. */
static bool text_get(json_t *object, const char *key, bool is_needed, const char *where,
                     const char **text, struct complaint *why)
{
	json_t *value = json_object_get(object, key);
	*text = NULL;
	if (value == NULL)
		return !is_needed || refuse(why, "%.80s: '%s' is missing", where, key);
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return refuse(why, "%.80s: '%s': want a text", where, key);
	*text = json_string_value(value);
	size_t clean = text_clean_bytes(*text);
	if ((*text)[clean] != '\0')
		return refuse(why, "%.80s: '%s': byte %zu is a control character", where, key,
		              clean);
	return true;
}

/* What was found instead of what was wanted, or its beginning. */
static const char *shown(const json_t *value, char text[40])
{
	char *whole = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	(void)snprintf(text, 40, "%s", whole == NULL ? "nothing" : whole);
	free(whole);
	return text;
}

static bool count_get(json_t *value, const char *what, const char *where, uint64_t *count,
                      struct complaint *why)
{
	char text[40];
	if (!json_is_integer(value) || json_integer_value(value) <= 0)
		return refuse(why, "%.80s: '%s': want a whole number of 1 or more, have %s", where,
		              what, shown(value, text));
	*count = (uint64_t)json_integer_value(value);
	return true;
}

static bool sizes_get(json_t *object, const char *key, uint64_t sizes[3], uint32_t *count,
                      const char *where, struct complaint *why)
{
	char text[40];
	json_t *array = json_object_get(object, key);
	*count = 0;
	if (array == NULL)
		return true;
	if (!json_is_array(array) || json_array_size(array) < 1 || json_array_size(array) > 3)
		return refuse(why, "%.80s: '%s': want one to three sizes as in [64, 64], have %s",
		              where, key, shown(array, text));
	for (size_t i = 0; i < json_array_size(array); i++)
		if (!count_get(json_array_get(array, i), key, where, &sizes[i], why))
			return false;
	*count = (uint32_t)json_array_size(array);
	return true;
}

static bool access_get(json_t *object, unsigned otherwise, const char *where, unsigned *access,
                       struct complaint *why)
{
	const char *text;
	*access = otherwise;
	if (!text_get(object, "access", false, where, &text, why))
		return false;
	return text == NULL || access_parse(text, access) ||
	       refuse(why, "%.80s: 'access': want r, w or rw, have '%.20s'", where, text);
}

static bool buffer_get(json_t *object, const char *where, predictd_argument *argument,
                       struct complaint *why)
{
	static const char *const keys[] = {"buffer", "init", "access", "range", "sample", NULL};
	const char *init;
	argument->kind = PREDICTD_BUFFER;
	if (!keys_check(object, keys, where, why) ||
	    !count_get(json_object_get(object, "buffer"), "buffer", where, &argument->size_bytes,
	               why) ||
	    !access_get(object, PREDICTD_READ_WRITE, where, &argument->access, why) ||
	    !text_get(object, "init", false, where, &init, why))
		return false;
	json_t *range = json_object_get(object, "range");
	if (range != NULL) {
		json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);
		if (json_array_size(range) != 2 || !json_is_integer(low) ||
		    !json_is_integer(high) || json_integer_value(low) > json_integer_value(high))
			return refuse(why, "%.80s: 'range': want [LOW, HIGH]", where);
		argument->has_range = true;
		argument->low = json_integer_value(low);
		argument->high = json_integer_value(high);
	}
	json_t *sample = json_object_get(object, "sample");
	if (sample != NULL && !json_is_boolean(sample))
		return refuse(why, "%.80s: 'sample': want true or false", where);
	if (json_is_true(sample) && init == NULL)
		return refuse(why, "%.80s: 'sample': want an 'init' to take it of", where);
	if (init != NULL && (argument->init = strdup(init)) == NULL)
		return refuse(why, "no memory");
	return true;
}

static bool lane_get(json_t *value, const struct scalar_type *type, unsigned lane,
                     const char *where, predictd_argument *argument, struct complaint *why)
{
	char text[40];
	struct complaint own;
	if (type->is_real) {
		if (!json_is_number(value))
			return refuse(why, "%.80s: 'value': want a number, have %s", where,
			              shown(value, text));
		argument->reals[lane] = json_number_value(value);
		return true;
	}
	if (!json_is_integer(value) || (type->is_unsigned && json_integer_value(value) < 0))
		return refuse(why, "%.80s: 'value': want %s, have %s", where, type->name,
		              shown(value, text));
	if (!argument_set_integer(argument, type, lane, json_integer_value(value), &own))
		return refuse(why, "%.80s: 'value': %.120s", where, own.text);
	return true;
}

static bool scalar_get(json_t *object, const char *where, predictd_argument *argument,
                       struct complaint *why)
{
	static const char *const keys[] = {"scalar", "value", NULL};
	const char *name;
	char meant[64];
	json_t *value = json_object_get(object, "value");
	if (!keys_check(object, keys, where, why) ||
	    !text_get(object, "scalar", true, where, &name, why))
		return false;
	const struct scalar_type *type = scalar_type_find(name);
	if (type == NULL)
		return refuse(why, "%.80s: 'scalar': no type '%.40s'%s", where, name,
		              scalar_type_say(name, meant));
	argument->kind = PREDICTD_SCALAR;
	argument->type = type->name;
	if (!json_is_array(value)) {
		for (unsigned i = 0; i < type->lanes; i++)
			if (!lane_get(value, type, i, where, argument, why))
				return false;
		return true;
	}
	if (json_array_size(value) != type->lanes)
		return refuse(why, "%.80s: 'value': want %u values for %s, have %zu", where,
		              type->lanes, type->name, json_array_size(value));
	for (unsigned i = 0; i < type->lanes; i++)
		if (!lane_get(json_array_get(value, i), type, i, where, argument, why))
			return false;
	return true;
}

static bool image_get(json_t *object, const char *where, predictd_argument *argument,
                      struct complaint *why)
{
	static const char *const keys[] = {"image", "format", "access", "init", NULL};
	json_t *sizes = json_object_get(object, "image");
	const char *format, *init;
	char meant[64];
	uint32_t *to[3] = {&argument->width, &argument->height, &argument->depth};
	argument->kind = PREDICTD_IMAGE;
	if (!keys_check(object, keys, where, why) ||
	    !access_get(object, 0, where, &argument->access, why) ||
	    !text_get(object, "format", false, where, &format, why) ||
	    !text_get(object, "init", false, where, &init, why))
		return false;
	if (json_array_size(sizes) < 1 || json_array_size(sizes) > 3)
		return refuse(why, "%.80s: 'image': want [WIDTH, HEIGHT]", where);
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		uint64_t size = 0;
		if (!count_get(json_array_get(sizes, i), "image", where, &size, why))
			return false;
		if (size > UINT32_MAX)
			return refuse(why, "%.80s: 'image': too large", where);
		*to[i] = (uint32_t)size;
	}
	if (format != NULL && (argument->type = image_format_find(format)) == NULL)
		return refuse(why, "%.80s: 'format': want one such as rgba8, r32f or rgba32f%s",
		              where, image_format_say(format, meant));
	if (init != NULL && (argument->init = strdup(init)) == NULL)
		return refuse(why, "no memory");
	return true;
}

static bool argument_get(json_t *object, const char *where, predictd_argument *argument,
                         struct complaint *why)
{
	static const char *const local_keys[] = {"local", NULL}, *const bytes_keys[] = {"bytes",
	                                                                                NULL};
	static const char *const sampler_keys[] = {"sampler", NULL};
	static const char *const kinds[] = {"buffer", "scalar",  "local", "bytes",
	                                    "image",  "sampler", NULL};
	char meant[64];
	if (!json_is_object(object))
		return refuse(why, "%.80s: want an object", where);
	if (json_object_get(object, "buffer") != NULL)
		return buffer_get(object, where, argument, why);
	if (json_object_get(object, "scalar") != NULL)
		return scalar_get(object, where, argument, why);
	if (json_object_get(object, "image") != NULL)
		return image_get(object, where, argument, why);
	if (json_object_get(object, "local") != NULL) {
		argument->kind = PREDICTD_LOCAL;
		return keys_check(object, local_keys, where, why) &&
		       count_get(json_object_get(object, "local"), "local", where,
		                 &argument->size_bytes, why);
	}
	if (json_object_get(object, "bytes") != NULL) {
		argument->kind = PREDICTD_STRUCT;
		return keys_check(object, bytes_keys, where, why) &&
		       count_get(json_object_get(object, "bytes"), "bytes", where,
		                 &argument->size_bytes, why);
	}
	const char *filter;
	if (json_object_get(object, "sampler") != NULL) {
		argument->kind = PREDICTD_SAMPLER;
		if (!keys_check(object, sampler_keys, where, why) ||
		    !text_get(object, "sampler", true, where, &filter, why))
			return false;
		argument->type = sampler_find(filter);
		return argument->type != NULL ||
		       refuse(why, "%.80s: 'sampler': want nearest or linear[,normalized][,repeat]",
		              where);
	}
	const char *key = json_object_iter_key(json_object_iter(object));
	return refuse(why,
	              "%.80s: want buffer, scalar, local, bytes, image or sampler, have '%.60s'%s",
	              where, key != NULL ? key : "nothing",
	              key != NULL ? nearest_say(key, kinds, meant) : "");
}

/* "@FILE" as a path that can be opened. */
static bool init_resolve(predictd_argument *argument, const char *folder, struct complaint *why)
{
	char *resolved;
	if (argument->init == NULL || argument->init[0] != '@' || argument->init[1] == '/')
		return true;
	if (asprintf(&resolved, "@%s%s", folder, argument->init + 1) < 0)
		return refuse(why, "no memory");
	free((void *)argument->init);
	argument->init = resolved;
	return true;
}

static bool arguments_get(json_t *object, const char *folder, struct launch_case *one,
                          struct complaint *why)
{
	json_t *array = json_object_get(object, "args");
	char where[160];
	if (array == NULL)
		return true;
	size_t count = json_array_size(array);
	if (!json_is_array(array) || count > CASE_ARGUMENTS_MAX)
		return refuse(why, "%.80s: 'args': want an array of at most %d", one->id,
		              CASE_ARGUMENTS_MAX);
	one->arguments = calloc(count + 1, sizeof *one->arguments);
	one->is_sampled = calloc(count + 1, sizeof *one->is_sampled);
	if (one->arguments == NULL || one->is_sampled == NULL)
		return refuse(why, "no memory");
	for (size_t i = 0; i < count; i++) {
		json_t *argument = json_array_get(array, i);
		(void)snprintf(where, sizeof where, "%.60s: args[%zu]", one->id, i);
		one->argument_count = i + 1;
		if (!argument_get(argument, where, &one->arguments[i], why) ||
		    !init_resolve(&one->arguments[i], folder, why))
			return false;
		one->is_sampled[i] = json_is_true(json_object_get(argument, "sample"));
	}
	return true;
}

static bool hints_get(json_t *object, struct launch_case *one, struct complaint *why)
{
	json_t *hints = json_object_get(object, "hints"), *value;
	const char *key;
	struct complaint own;
	if (hints == NULL)
		return true;
	if (!json_is_object(hints) || json_object_size(hints) > CASE_HINTS_MAX)
		return refuse(why, "%.80s: 'hints': want an object of at most %d", one->id,
		              CASE_HINTS_MAX);
	one->hints = calloc(json_object_size(hints) + 1, sizeof *one->hints);
	if (one->hints == NULL)
		return refuse(why, "no memory");
	json_object_foreach(hints, key, value)
	{
		predictd_hint *hint = &one->hints[one->hint_count];
		if (!hint_parse(key, hint, &own) || strchr(key, '=') != NULL)
			return refuse(why, "%.80s: 'hints': unknown key '%.60s'", one->id, key);
		hint->value = json_number_value(value);
		if (!json_is_number(value) || hint->value < 0 ||
		    (hint->is_branch && hint->value > 1))
			return refuse(why, "%.80s: '%.40s': want %s", one->id, key,
			              hint->is_branch ? "a share from 0 to 1"
			                              : "a number of trips");
		one->hint_count++;
	}
	return true;
}

static bool texts_get(json_t *object, const char *where, const char *folder,
                      struct launch_case *one, struct complaint *why)
{
	const char *id, *name, *file, *kernel, *options, *group;
	if (!text_get(object, "id", true, where, &id, why))
		return false;
	if ((one->id = strdup(id)) == NULL)
		return refuse(why, "no memory");
	if (!text_get(object, "name", false, one->id, &name, why) ||
	    !text_get(object, "file", name == NULL, one->id, &file, why) ||
	    !text_get(object, "kernel", false, one->id, &kernel, why) ||
	    !text_get(object, "options", false, one->id, &options, why) ||
	    !text_get(object, "class", false, one->id, &group, why))
		return false;
	if (name != NULL && (file != NULL || kernel != NULL || options != NULL))
		return refuse(why,
		              "%.80s: 'name': a kernel without source has no 'file', 'kernel' or "
		              "'options'",
		              one->id);
	if (file != NULL && strcmp(file, "-") == 0)
		return refuse(why, "%.80s: 'file': want a file, not standard input", one->id);
	one->is_sourceless = name != NULL;
	one->group = group != NULL ? strdup(group) : strndup(id, strcspn(id, "."));
	one->kernel = kernel != NULL ? strdup(kernel) : NULL;
	one->options = strdup(options != NULL ? options : "");
	bool is_beside = file != NULL && file[0] != '/';
	if (asprintf(&one->file, "%s%s", is_beside ? folder : "", file != NULL ? file : name) < 0)
		one->file = NULL;
	if (one->group == NULL || (kernel != NULL && one->kernel == NULL) || one->options == NULL ||
	    one->file == NULL)
		return refuse(why, "no memory");
	return true;
}

static bool case_get(json_t *object, size_t index, const char *folder, struct launch_case *one,
                     struct complaint *why)
{
	static const char *const keys[] = {"id",      "name",   "file",     "kernel",
	                                   "options", "global", "local",    "args",
	                                   "hints",   "class",  "offset",   "time_depends_on_data",
	                                   "pinned",  "idle_s", "starpu",   "needs",
	                                   "reads",   "writes", "priority", NULL};
	char where[64], text[40];
	(void)snprintf(where, sizeof where, "case %zu", index);
	if (!json_is_object(object))
		return refuse(why, "%s: want an object", where);
	if (!texts_get(object, where, folder, one, why) || !keys_check(object, keys, one->id, why))
		return false;
	uint32_t locals, offsets;
	if (!sizes_get(object, "global", one->global, &one->dimensions, one->id, why) ||
	    !sizes_get(object, "local", one->local, &locals, one->id, why))
		return false;
	if (one->dimensions == 0)
		return refuse(why, "%.80s: 'global' is missing", one->id);
	if (locals != 0 && locals != one->dimensions)
		return refuse(why, "%.80s: 'local': want %u sizes as in 'global', have %u", one->id,
		              one->dimensions, locals);
	one->has_groups = locals != 0;
	json_t *offset = json_object_get(object, "offset");
	offsets = (uint32_t)(json_array_size(offset) < 4 ? json_array_size(offset) : 4);
	if (offset != NULL && offsets != one->dimensions)
		return refuse(why, "%.80s: 'offset': want %u sizes as in 'global'", one->id,
		              one->dimensions);
	for (uint32_t i = 0; i < offsets; i++) {
		json_t *value = json_array_get(offset, i);
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return refuse(why, "%.80s: 'offset': want whole numbers", one->id);
		one->offset[i] = (uint64_t)json_integer_value(value);
	}
	json_t *depends = json_object_get(object, "time_depends_on_data");
	if (depends != NULL && !json_is_boolean(depends))
		return refuse(why, "%.80s: 'time_depends_on_data': want true or false", one->id);
	json_t *pinned = json_object_get(object, "pinned");
	if (pinned != NULL && !json_is_boolean(pinned))
		return refuse(why, "%.80s: 'pinned': want true or false", one->id);
	one->is_pinned = json_is_true(pinned);
	json_t *idle = json_object_get(object, "idle_s");
	one->idle_s = json_number_value(idle);
	if (idle != NULL && (!json_is_number(idle) || !(one->idle_s >= 0)))
		return refuse(why, "%.80s: 'idle_s': want seconds of 0 or more, have %s", one->id,
		              shown(idle, text));
	json_t *starpu = json_object_get(object, "starpu");
	if (starpu != NULL && !starpu_task_parse(starpu, one->id, &one->starpu, why))
		return false;
	return arguments_get(object, folder, one, why) && hints_get(object, one, why);
}

/* Rows of results are found by their id: each once. `seen`: where ids came first. */
static bool id_take(json_t *seen, const char *id, size_t index, struct complaint *why)
{
	json_t *first = json_object_get(seen, id);
	if (first != NULL)
		return refuse(why, "case %zu: id '%.80s' is that of case %lld too", index, id,
		              (long long)json_integer_value(first));
	return json_object_set_new(seen, id, json_integer((json_int_t)index)) == 0 ||
	       refuse(why, "no memory");
}

static bool cases_get(json_t *root, const char *folder, struct case_list *list,
                      struct complaint *why)
{
	*list = (struct case_list){0};
	if (!json_is_array(root))
		return refuse(why, "want an array of cases");
	size_t count = json_array_size(root);
	if (count == 0 || count > CASES_MAX)
		return refuse(why, "want 1 to %d cases, have %zu", CASES_MAX, count);
	json_t *seen = json_object();
	list->cases = calloc(count, sizeof *list->cases);
	bool is_read = (list->cases != NULL && seen != NULL) || refuse(why, "no memory");
	for (size_t i = 0; i < count && is_read; i++) {
		list->count = i + 1;
		is_read = case_get(json_array_get(root, i), i, folder, &list->cases[i], why) &&
		          id_take(seen, list->cases[i].id, i, why);
	}
	for (size_t i = 0; i < count && is_read; i++)
		is_read = case_graph_get(json_array_get(root, i), seen, &list->cases[i], why);
	json_decref(seen);
	if (!is_read)
		case_list_deinit(list);
	return is_read;
}

bool case_list_parse(const char *text, size_t size, const char *folder, struct case_list *list,
                     struct complaint *why)
{
	json_error_t error;
	*list = (struct case_list){0};
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (root == NULL)
		return refuse(why, "line %d, column %d: %.120s", error.line, error.column,
		              error.text);
	bool is_read = cases_get(root, folder, list, why);
	json_decref(root);
	return is_read;
}

bool case_list_load(const char *path, struct case_list *list, struct complaint *why)
{
	bool is_stream = strcmp(path, "-") == 0;
	FILE *file = is_stream ? stdin : fopen(path, "rbe");
	size_t room = 65536, used = 0;
	char *text = NULL;
	bool is_read = false;
	*list = (struct case_list){0};
	if (file == NULL)
		return refuse(why, "%s", strerror(errno));
	for (;;) {
		char *grown = room > CASES_BYTES_MAX ? NULL : realloc(text, room);
		if (grown == NULL) {
			(void)refuse(why, "too large");
			goto out;
		}
		text = grown;
		used += fread(text + used, 1, room - used, file);
		if (used < room)
			break;
		room *= 2;
	}
	if (ferror(file)) {
		(void)refuse(why, "cannot be read");
		goto out;
	}
	const char *slash = strrchr(path, '/');
	char *folder = strndup(path, slash == NULL ? 0 : (size_t)(slash - path + 1));
	is_read = folder != NULL ? case_list_parse(text, used, folder, list, why)
	                         : refuse(why, "no memory");
	free(folder);
out:
	free(text);
	if (!is_stream)
		(void)fclose(file);
	return is_read;
}

void case_list_deinit(struct case_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct launch_case *one = &list->cases[i];
		for (size_t j = 0; j < one->argument_count; j++)
			free((void *)one->arguments[j].init);
		case_graph_deinit(one);
		free(one->arguments);
		free(one->is_sampled);
		free(one->hints);
		free(one->id);
		free(one->group);
		free(one->file);
		free(one->kernel);
		free(one->options);
	}
	free(list->cases);
	*list = (struct case_list){0};
}

predictd_question case_question(const struct launch_case *one)
{
	predictd_question question = {.kernel = one->kernel,
	                              .pinned_transfers = one->is_pinned,
	                              .idle_s = one->idle_s,
	                              .dimensions = one->dimensions,
	                              .argument_count = one->argument_count,
	                              .arguments = one->arguments,
	                              .hint_count = one->hint_count,
	                              .hints = one->hints};
	for (uint32_t i = 0; i < 3; i++) {
		question.global[i] = i < one->dimensions ? one->global[i] : 1;
		question.local[i] = one->has_groups ? (i < one->dimensions ? one->local[i] : 1) : 0;
		question.offset[i] = one->offset[i];
	}
	return question;
}
