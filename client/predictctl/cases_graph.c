/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that are tasks: needs, priority, and the names of buffers that are read and written. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/cases.h"
#include "proto/text.h"

/* Numbers of the cases whose ids are listed. */
static bool needs_get(json_t *array, json_t *seen, struct launch_case *one, struct complaint *why)
{
	size_t count = json_array_size(array);
	if (array == NULL)
		return true;
	if (!json_is_array(array))
		return refuse(why, "%.80s: 'needs': want an array of ids", one->id);
	one->needs = calloc(count + 1, sizeof *one->needs);
	if (one->needs == NULL)
		return refuse(why, "no memory");
	for (size_t i = 0; i < count; i++) {
		const char *id = json_string_value(json_array_get(array, i));
		if (id == NULL)
			return refuse(why, "%.80s: 'needs': want an array of ids", one->id);
		json_t *number = json_object_get(seen, id);
		if (number == NULL)
			return refuse(why, "%.80s: 'needs': no case has the id '%.80s'", one->id,
			              id);
		one->needs[one->need_count++] = (size_t)json_integer_value(number);
	}
	return true;
}

/* How many of its buffers have that access. */
static size_t buffers_count(const struct launch_case *one, unsigned access)
{
	size_t count = 0;
	for (size_t i = 0; i < one->argument_count; i++)
		count += one->arguments[i].kind == PREDICTD_BUFFER &&
		                         (one->arguments[i].access & access) != 0
		                 ? 1
		                 : 0;
	return count;
}

/* One name for each buffer of that access, into the arguments' names. */
static bool names_get(json_t *object, const char *key, unsigned access, struct launch_case *one,
                      struct complaint *why)
{
	json_t *array = json_object_get(object, key);
	size_t wanted = buffers_count(one, access), next = 0;
	if (array == NULL)
		return true;
	if (!json_is_array(array) || json_array_size(array) != wanted)
		return refuse(why,
		              "%.80s: '%s': want %zu name%s, one for each of its buffers that the "
		              "kernel %s",
		              one->id, key, wanted, wanted == 1 ? "" : "s", key);
	if (one->buffer_names == NULL &&
	    (one->buffer_names = calloc(one->argument_count + 1, sizeof(char *))) == NULL)
		return refuse(why, "no memory");
	for (size_t i = 0; i < one->argument_count; i++) {
		if (one->arguments[i].kind != PREDICTD_BUFFER ||
		    (one->arguments[i].access & access) == 0)
			continue;
		const char *name = json_string_value(json_array_get(array, next++));
		if (name == NULL || name[0] == '\0' || name[text_clean_bytes(name)] != '\0')
			return refuse(why, "%.80s: '%s': want names", one->id, key);
		if (one->buffer_names[i] != NULL && strcmp(one->buffer_names[i], name) != 0)
			return refuse(why,
			              "%.80s: args[%zu] is read as '%.60s' and written as '%.60s'",
			              one->id, i, one->buffer_names[i], name);
		if (one->buffer_names[i] == NULL && (one->buffer_names[i] = strdup(name)) == NULL)
			return refuse(why, "no memory");
	}
	return true;
}

static bool priority_get(json_t *number, struct launch_case *one, struct complaint *why)
{
	json_int_t priority = json_integer_value(number);
	if (number == NULL)
		return true;
	if (!json_is_integer(number) || priority < INT_MIN || priority > INT_MAX)
		return refuse(why, "%.80s: 'priority': want an integer of 32 bits", one->id);
	one->priority = (int)priority;
	return true;
}

bool case_graph_get(json_t *object, json_t *seen, struct launch_case *one, struct complaint *why)
{
	one->is_task = json_object_get(object, "needs") != NULL ||
	               json_object_get(object, "reads") != NULL ||
	               json_object_get(object, "writes") != NULL ||
	               json_object_get(object, "priority") != NULL;
	return needs_get(json_object_get(object, "needs"), seen, one, why) &&
	       priority_get(json_object_get(object, "priority"), one, why) &&
	       names_get(object, "reads", PREDICTD_READ, one, why) &&
	       names_get(object, "writes", PREDICTD_WRITE, one, why);
}

void case_graph_deinit(struct launch_case *one)
{
	for (size_t i = 0; one->buffer_names != NULL && i < one->argument_count; i++)
		free(one->buffer_names[i]);
	free(one->buffer_names);
	free(one->needs);
}
