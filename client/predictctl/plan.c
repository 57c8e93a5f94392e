/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule of the tasks of a cases file, made by the library. */
#include "client/predictctl/plan.h"

#include <stdlib.h>
#include <string.h>

/* What the tasks are made of, until they are placed. */
struct making {
	predictd_question *questions;
	predictd_schedule_task *tasks;
	size_t *numbers; /* of buffers; tasks' lists lie in it */
	json_t *seen;    /* buffers' numbers, by their names */
};

static bool making_init(struct making *making, struct plan *plan)
{
	const struct case_list *cases = plan->ask->cases;
	size_t arguments = 0;
	for (size_t i = 0; i < cases->count; i++)
		arguments += cases->cases[i].argument_count;
	making->questions = calloc(cases->count + 1, sizeof *making->questions);
	making->tasks = calloc(cases->count + 1, sizeof *making->tasks);
	making->numbers = calloc(2 * arguments + 1, sizeof *making->numbers);
	making->seen = json_object();
	plan->buffers = calloc(arguments + 1, sizeof *plan->buffers);
	plan->buffer_names = calloc(arguments + 1, sizeof(*plan->buffer_names));
	return making->questions != NULL && making->tasks != NULL && making->numbers != NULL &&
	       making->seen != NULL && plan->buffers != NULL && plan->buffer_names != NULL;
}

static void making_deinit(struct making *making)
{
	free(making->questions);
	free(making->tasks);
	free(making->numbers);
	json_decref(making->seen);
}

/* The number of a case's buffer; false: its size is another than before. */
static bool buffer_find(struct plan *plan, struct making *making, size_t index, size_t argument,
                        size_t *number)
{
	const struct launch_case *one = &plan->ask->cases->cases[index];
	const char *name = one->buffer_names[argument];
	uint64_t size = one->arguments[argument].size_bytes;
	json_t *known = json_object_get(making->seen, name);
	if (known == NULL) {
		*number = plan->buffer_count++;
		plan->buffer_names[*number] = name;
		plan->buffers[*number] =
		        (predictd_schedule_buffer){.size_bytes = size, .is_on_host = true};
		return json_object_set_new(making->seen, name, json_integer((json_int_t)*number)) ==
		       0;
	}
	*number = (size_t)json_integer_value(known);
	if (plan->buffers[*number].size_bytes == size)
		return true;
	complain(one->id, "buffer '%.80s' has %llu bytes, and %llu in a case before", name,
	         (unsigned long long)size, (unsigned long long)plan->buffers[*number].size_bytes);
	return false;
}

/* The task of a case; *next: the first of the numbers that is free. */
static bool task_make(struct plan *plan, struct making *making, size_t index, size_t *next)
{
	const struct launch_case *one = &plan->ask->cases->cases[index];
	predictd_schedule_task *task = &making->tasks[index];
	*task = (predictd_schedule_task){.name = one->id,
	                                 .question = &making->questions[index],
	                                 .priority = one->priority,
	                                 .need_count = one->need_count,
	                                 .needs = one->needs};
	for (unsigned access = PREDICTD_READ; access <= PREDICTD_WRITE; access++) {
		size_t *numbers = &making->numbers[*next], count = 0;
		for (size_t i = 0; i < one->argument_count && one->buffer_names != NULL; i++)
			if (one->buffer_names[i] != NULL &&
			    (one->arguments[i].access & access) != 0 &&
			    !buffer_find(plan, making, index, i, &numbers[count++]))
				return false;
		*next += count;
		if (access == PREDICTD_READ) {
			task->reads = numbers;
			task->read_count = count;
		} else {
			task->writes = numbers;
			task->write_count = count;
		}
	}
	return true;
}

static enum exit_code tasks_make(struct plan *plan, struct making *making,
                                 const struct options *options)
{
	size_t next = 0;
	for (size_t i = 0; i < plan->ask->cases->count; i++) {
		const char *error;
		predictd_status status =
		        ask_question(plan->ask, i, options, &making->questions[i], &error);
		if (status != PREDICTD_OK) {
			complain(plan->ask->cases->cases[i].id, "%s", error);
			return exit_of(status);
		}
		if (!task_make(plan, making, i, &next))
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static predictd_status devices_find(struct plan *plan, const struct options *options)
{
	predictd_connection *connection = plan->ask->connection;
	predictd_status status = predictd_schedule_devices(
	        connection, (const char *const *)options->devices, options->device_count,
	        plan->devices, &plan->device_count);
	if (status == PREDICTD_OK)
		status = predictd_list_devices(connection, false, &plan->known);
	for (size_t i = 0; i < plan->device_count && status == PREDICTD_OK; i++)
		for (size_t j = 0; j < plan->known->count; j++)
			if (strcmp(plan->known->devices[j].key, plan->devices[i].key) == 0)
				plan->about[i] = &plan->known->devices[j];
	return status;
}

enum exit_code plan_make(struct plan *plan, const struct ask *ask, const struct options *options)
{
	struct making making = {0};
	*plan = (struct plan){.ask = ask, .method = options->method};
	enum exit_code code = EXIT_FAILED;
	predictd_schedule *schedule = NULL;
	if (!making_init(&making, plan)) {
		complain("place", "no memory");
		goto out;
	}
	code = tasks_make(plan, &making, options);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = devices_find(plan, options);
	const predictd_schedule_options wanted = {.size = sizeof wanted,
	                                          .method = options->method,
	                                          .device_count = plan->device_count,
	                                          .devices = plan->devices};
	if (status == PREDICTD_OK)
		status = predictd_schedule_new(&wanted, &schedule);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add_buffers(schedule, plan->buffers, plan->buffer_count);
	if (status == PREDICTD_OK)
		status = predictd_schedule_add(schedule, ask->connection, making.tasks,
		                               ask->cases->count, 0);
	if (status != PREDICTD_OK)
		code = complain_of("place", status);
	for (size_t i = 0; i < plan->device_count; i++) {
		plan->keys[i] = plan->devices[i].key;
		plan->names[i] = plan->about[i] != NULL ? plan->about[i]->name : plan->keys[i];
	}
	/* remembered, since the schedule has asked */
	(void)pairs_init(&plan->pairs, ask->connection, plan->keys, plan->names,
	                 plan->device_count);
	if (schedule != NULL)
		predictd_schedule_get(schedule, &plan->got);
	if (plan->got.task_count > 0) {
		plan->schedule = schedule;
		schedule = NULL; /* the plan's */
	}
out:
	predictd_schedule_free(schedule);
	making_deinit(&making);
	return code;
}

void plan_deinit(struct plan *plan)
{
	predictd_schedule_free(plan->schedule);
	pairs_deinit(&plan->pairs);
	predictd_devices_free(plan->known);
	free(plan->buffers);
	free(plan->buffer_names);
	*plan = (struct plan){0};
}
