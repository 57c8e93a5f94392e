/* SPDX-License-Identifier: Apache-2.0 */
/* What a task launches: as its codelet says, or as its handles do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/starpu/adapter.h"

/* ---- what a codelet's function says -------------------------------------------------------- */

void predictd_starpu_range(predictd_starpu_launch *launch, uint32_t dimensions,
                           const uint64_t *global, const uint64_t *local)
{
	launch->is_wrong |= dimensions < 1 || dimensions > 3;
	launch->dimensions = dimensions;
	for (uint32_t i = 0; i < dimensions && i < 3; i++) {
		launch->global[i] = global[i];
		launch->local[i] = local == NULL ? 0 : local[i];
	}
}

static predictd_value *value_new(predictd_starpu_launch *launch, size_t size_bytes)
{
	if (launch->count == PREDICTD_STARPU_VALUES) {
		launch->is_wrong = true;
		return NULL;
	}
	size_t i = launch->count++;
	launch->handles[i] = NULL;
	launch->values[i] = (predictd_value){.argument = i, .size_bytes = size_bytes};
	return &launch->values[i];
}

void predictd_starpu_buffer(predictd_starpu_launch *launch, starpu_data_handle_t handle)
{
	predictd_value *value = value_new(launch, starpu_data_get_size(handle));
	if (value != NULL)
		launch->handles[value->argument] = handle;
}

void predictd_starpu_memory(predictd_starpu_launch *launch, uint64_t size_bytes)
{
	(void)value_new(launch, size_bytes);
}

void predictd_starpu_arg(predictd_starpu_launch *launch, size_t size_bytes, const void *bytes)
{
	predictd_value *value = value_new(launch, size_bytes);
	if (value == NULL || bytes == NULL)
		return;
	if (size_bytes > sizeof launch->bytes - launch->used) {
		launch->is_wrong = true;
		return;
	}
	value->bytes = memcpy(&launch->bytes[launch->used], bytes, size_bytes);
	launch->used += size_bytes;
}

/* ---- what handles say ---------------------------------------------------------------------- */

/* Elements of a handle in each dimension; 0 dimensions: of no known interface. */
static uint32_t shape_of(starpu_data_handle_t handle, uint64_t shape[3])
{
	switch (starpu_data_get_interface_id(handle)) {
	case STARPU_VARIABLE_INTERFACE_ID:
		shape[0] = 1;
		return 1;
	case STARPU_VECTOR_INTERFACE_ID:
		shape[0] = starpu_vector_get_nx(handle);
		return 1;
	case STARPU_MATRIX_INTERFACE_ID:
		shape[0] = starpu_matrix_get_nx(handle);
		shape[1] = starpu_matrix_get_ny(handle);
		return 2;
	case STARPU_BLOCK_INTERFACE_ID:
		shape[0] = starpu_block_get_nx(handle);
		shape[1] = starpu_block_get_ny(handle);
		shape[2] = starpu_block_get_nz(handle);
		return 3;
	default:
		return 0;
	}
}

/* The size of a scalar argument, by its kernel; 0: it is none. */
static size_t scalar_bytes(const predictd_kernel *kernel, size_t i)
{
	predictd_argument argument;
	static const unsigned char zeros[128];
	for (size_t size = 1; size <= sizeof zeros; size *= 2)
		if (strncmp(kernel->argument_types[i], "scalar ", strlen("scalar ")) == 0 &&
		    predictd_argument_from_bytes(kernel, i, size, zeros, &argument) == PREDICTD_OK)
			return size;
	return 0;
}

static size_t align_up(size_t offset, size_t alignment)
{
	return (offset + alignment - 1) / alignment * alignment;
}

/* Whether cl_arg is a struct of the kernel's scalars. */
static bool is_struct_of_scalars(const struct predictd_starpu_state *state,
                                 const struct starpu_task *task)
{
	size_t size = 0, largest = 1;
	for (size_t i = 0; i < state->description->argument_count; i++) {
		size_t bytes = state->scalar_bytes[i];
		if (bytes == 0)
			continue;
		size = align_up(size, bytes) + bytes;
		largest = bytes > largest ? bytes : largest;
	}
	return size > 0 && task->cl_arg != NULL && task->cl_arg_size == align_up(size, largest);
}

/* An integer of any size that counts elements, or a real 1. */
static void put_count(predictd_starpu_launch *launch, const char *type, size_t size, uint64_t count)
{
	const float single = 1;
	const double wide = 1;
	static const unsigned char zeros[128];
	if (strcmp(type, "scalar float") == 0)
		predictd_starpu_arg(launch, size, &single);
	else if (strcmp(type, "scalar double") == 0)
		predictd_starpu_arg(launch, size, &wide);
	else if (size <= sizeof count) /* the low bytes come first where OpenCL runs */
		predictd_starpu_arg(launch, size, &count);
	else
		predictd_starpu_arg(launch, size, zeros);
}

static void describe_by_handles(const struct predictd_starpu_state *state, struct starpu_task *task,
                                predictd_starpu_launch *launch)
{
	const predictd_kernel *kernel = state->description;
	unsigned handle_count = STARPU_TASK_GET_NBUFFERS(task), handle = 0;
	uint64_t shape[3] = {1, 1, 1};
	uint32_t dimensions =
	        handle_count == 0 ? 0 : shape_of(STARPU_TASK_GET_HANDLE(task, 0), shape);
	bool has_scalars = is_struct_of_scalars(state, task);
	size_t offset = 0;
	launch->is_wrong = dimensions == 0;
	for (size_t i = 0; i < kernel->argument_count && !launch->is_wrong; i++) {
		size_t bytes = state->scalar_bytes[i];
		if (strncmp(kernel->argument_types[i], "buffer", strlen("buffer")) == 0) {
			launch->is_wrong |= handle == handle_count;
			if (!launch->is_wrong)
				predictd_starpu_buffer(launch,
				                       STARPU_TASK_GET_HANDLE(task, handle++));
		} else if (bytes == 0) {
			launch->is_wrong =
			        true; /* local memory, an image: only the program knows */
		} else if (has_scalars) {
			offset = align_up(offset, bytes);
			predictd_starpu_arg(launch, bytes, (const char *)task->cl_arg + offset);
			offset += bytes;
		} else {
			put_count(launch, kernel->argument_types[i], bytes,
			          shape[0] * shape[1] * shape[2]);
		}
	}
	if (!launch->is_wrong)
		predictd_starpu_range(launch, dimensions, shape, NULL);
}

/* What is wrong with what was said, in words. */
static void say_wrong(struct predictd_starpu_state *state, const predictd_starpu_launch *launch)
{
	char sentence[256];
	if (state->kernel->launch == NULL)
		(void)snprintf(sentence, sizeof sentence,
		               "its handles do not tell what a task launches: want a function in "
		               "predictd_starpu.launch");
	else if (launch->is_wrong)
		(void)snprintf(sentence, sizeof sentence,
		               "its function launch says too much: want 1 to 3 dimensions, %d "
		               "arguments and %d bytes of them at most",
		               PREDICTD_STARPU_VALUES, PREDICTD_STARPU_BYTES);
	else if (launch->dimensions == 0)
		(void)snprintf(sentence, sizeof sentence,
		               "its function launch says no range: want predictd_starpu_range");
	else
		(void)snprintf(sentence, sizeof sentence,
		               "its function launch says %zu arguments: want the %zu of kernel %s",
		               launch->count, state->description->argument_count,
		               state->description->name);
	adapter_say(state, sentence);
}

bool launch_describe(struct predictd_starpu_state *state, struct starpu_task *task,
                     predictd_starpu_launch *launch)
{
	launch->dimensions = 0;
	launch->count = launch->used = 0;
	launch->is_wrong = false;
	if (state->kernel->launch != NULL)
		state->kernel->launch(task, launch);
	else
		describe_by_handles(state, task, launch);
	bool is_right = !launch->is_wrong && launch->dimensions > 0 &&
	                launch->count == state->description->argument_count;
	if (!is_right)
		say_wrong(state, launch);
	return is_right;
}

/* ---- the kernel's own types ---------------------------------------------------------------- */

predictd_question launch_template(const struct predictd_starpu_state *state, enum adapter_kind kind,
                                  uint32_t dimensions, predictd_argument *arguments)
{
	static const unsigned char zeros[128];
	const predictd_kernel *kernel = state->description;
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const char *type = kernel->argument_types[i];
		uint64_t size = strncmp(type, "struct ", strlen("struct ")) == 0
		                        ? strtoull(type + strlen("struct "), NULL, 10)
		                        : state->scalar_bytes[i];
		if (predictd_argument_from_bytes(kernel, i, size, zeros, &arguments[i]) !=
		    PREDICTD_OK) /* an image or a sampler: as the daemon assumes it */
			arguments[i] = (predictd_argument){
			        .kind = strncmp(type, "image", strlen("image")) == 0
			                        ? PREDICTD_IMAGE
			                        : PREDICTD_SAMPLER,
			        .access = PREDICTD_READ_WRITE};
	}
	return (predictd_question){.program = state->programs[kind],
	                           .kernel = kind == ADAPTER_OPENCL ? kernel->name : NULL,
	                           .dimensions = dimensions,
	                           .global = {1, 1, 1},
	                           .argument_count = kernel->argument_count,
	                           .arguments = arguments};
}

void launch_learn_types(struct predictd_starpu_state *state)
{
	for (size_t i = 0; i < state->description->argument_count && i < PREDICTD_STARPU_VALUES;
	     i++)
		state->scalar_bytes[i] = (unsigned char)scalar_bytes(state->description, i);
}
