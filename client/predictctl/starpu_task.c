/* SPDX-License-Identifier: Apache-2.0 */
/* A case's `starpu`. */
#include "client/predictctl/starpu_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/arguments.h"
#include "client/predictctl/keys.h"
#include "client/predictctl/nearest.h"
#include "client/predictctl/starpu_footprint.h"

enum { ELEMENT_BYTES_MAX = 1 << 30 };

static const struct interface {
	const char *name;
	enum starpu_interface interface;
	size_t sizes; /* how many numbers tell of it */
	const char *wanted;
} interfaces[] = {
        {"vector", STARPU_VECTOR, 1, "a number of elements"},
        {"matrix", STARPU_MATRIX, 2, "[NX, NY]"},
        {"block", STARPU_BLOCK, 3, "[NX, NY, NZ]"},
        {"csr", STARPU_CSR, 2, "[NON-ZEROS, ROWS]"},
        {"variable", STARPU_VARIABLE, 0, "a number of bytes"},
};

enum { INTERFACE_COUNT = sizeof interfaces / sizeof *interfaces };

static bool whole_get(json_t *value, uint64_t low, uint64_t high, uint64_t *whole)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*whole = (uint64_t)json_integer_value(value);
	return *whole >= low && *whole <= high;
}

static bool sizes_get(json_t *value, const struct interface *kind, struct starpu_handle *handle)
{
	uint64_t size = 0;
	bool is_array = json_is_array(value);
	if (is_array != (kind->sizes > 1) || (is_array && json_array_size(value) != kind->sizes))
		return false;
	for (size_t i = 0; i < kind->sizes; i++) {
		if (!whole_get(is_array ? json_array_get(value, i) : value, 0, UINT32_MAX, &size))
			return false;
		handle->sizes[i] = (uint32_t)size;
	}
	return kind->sizes > 0 || whole_get(value, 1, ELEMENT_BYTES_MAX, &handle->element_bytes);
}

static bool handle_get(json_t *object, const char *where, struct starpu_handle *handle,
                       struct complaint *why)
{
	const char *names[INTERFACE_COUNT + 1] = {NULL};
	char meant[64];
	const struct interface *kind = NULL;
	for (size_t i = 0; i < INTERFACE_COUNT; i++) {
		names[i] = interfaces[i].name;
		if (json_object_get(object, names[i]) != NULL)
			kind = &interfaces[i];
	}
	if (!json_is_object(object))
		return refuse(why, "%.100s: want an object", where);
	if (kind == NULL) {
		const char *key = json_object_iter_key(json_object_iter(object));
		return refuse(why,
		              "%.100s: want vector, matrix, block, csr or variable, whose "
		              "footprints are known, have '%.40s'%s",
		              where, key != NULL ? key : "nothing",
		              key != NULL ? nearest_say(key, names, meant) : "");
	}
	const char *const keys[] = {kind->name, kind->sizes > 0 ? "elemsize" : NULL, NULL};
	*handle = (struct starpu_handle){.interface = kind->interface};
	if (!keys_check(object, keys, where, why))
		return false;
	if (!sizes_get(json_object_get(object, kind->name), kind, handle))
		return refuse(why, "%.100s: '%s': want %s", where, kind->name, kind->wanted);
	if (kind->sizes > 0 && !whole_get(json_object_get(object, "elemsize"), 1, ELEMENT_BYTES_MAX,
	                                  &handle->element_bytes))
		return refuse(why, "%.100s: 'elemsize': want the bytes of an element", where);
	return true;
}

static bool handles_get(json_t *array, const char *where, struct starpu_task *task,
                        struct complaint *why)
{
	size_t count = json_array_size(array);
	char place[160];
	if (!json_is_array(array) || count > STARPU_HANDLES_MAX)
		return refuse(why, "%.100s: 'handles': want an array of at most %d", where,
		              STARPU_HANDLES_MAX);
	struct starpu_handle *handles = calloc(count + 1, sizeof *handles);
	bool is_read = handles != NULL || refuse(why, "no memory");
	for (size_t i = 0; i < count && is_read; i++) {
		(void)snprintf(place, sizeof place, "%.80s: handles[%zu]", where, i);
		is_read = handle_get(json_array_get(array, i), place, &handles[i], why);
		if (is_read)
			task->size_bytes += starpu_handle_bytes(&handles[i]);
	}
	if (is_read)
		task->footprint = starpu_handles_footprint(handles, count);
	free(handles);
	return is_read;
}

/* It becomes part of a file's name. */
static bool symbol_get(json_t *value, const char *where, struct starpu_task *task,
                       struct complaint *why)
{
	const char *text = json_string_value(value);
	size_t length = text == NULL ? 0 : strlen(text);
	bool is_clean = length > 0 && length < STARPU_SYMBOL_MAX &&
	                length == json_string_length(value) && text[0] != '.';
	for (size_t i = 0; i < length && is_clean; i++)
		is_clean = text[i] > ' ' && text[i] < 127 && text[i] != '/';
	if (!is_clean)
		return refuse(why,
		              "%.100s: 'symbol': want the name of the codelet's performance model",
		              where);
	memcpy(task->symbol, text, length + 1);
	return true;
}

bool starpu_task_parse(json_t *value, const char *where, struct starpu_task *task,
                       struct complaint *why)
{
	static const char *const keys[] = {"symbol", "handles", "size_base", NULL};
	char place[128];
	(void)snprintf(place, sizeof place, "%.80s: starpu", where);
	*task = (struct starpu_task){0};
	if (!json_is_object(value))
		return refuse(why, "%.100s: want an object", place);
	json_t *handles = json_object_get(value, "handles"),
	       *size = json_object_get(value, "size_base");
	if (!keys_check(value, keys, place, why) ||
	    !symbol_get(json_object_get(value, "symbol"), place, task, why))
		return false;
	if ((handles == NULL) == (size == NULL))
		return refuse(why, "%.100s: want either 'handles' or 'size_base'", place);
	if (handles != NULL)
		return handles_get(handles, place, task, why);
	if (!whole_get(size, 0, INT64_MAX, &task->size_bytes))
		return refuse(why, "%.100s: 'size_base': want what the function gives", place);
	task->footprint = starpu_size_footprint(task->size_bytes);
	return true;
}
