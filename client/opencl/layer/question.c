/* SPDX-License-Identifier: Apache-2.0 */
/* A shape that was launched, as a question about it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/opencl/layer/known.h"

static const predictd_kernel *kernel_find(const predictd_program *program, const char *name)
{
	const predictd_kernel *kernels;
	size_t count = predictd_program_kernels(program, &kernels);
	for (size_t i = 0; i < count; i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}

/* Of "image 2d r rgba8", which access; of a type that says nothing, both. */
static unsigned image_access(const char *type)
{
	char access[4] = "";
	(void)sscanf(type, "image %*15s %3s", access);
	return strcmp(access, "r") == 0   ? PREDICTD_READ
	       : strcmp(access, "w") == 0 ? PREDICTD_WRITE
	                                  : PREDICTD_READ_WRITE;
}

static predictd_argument image_argument(const seen_argument *seen, unsigned access)
{
	return (predictd_argument){.kind = PREDICTD_IMAGE,
	                           .access = access,
	                           .type = seen->type[0] != '\0' ? seen->type : NULL,
	                           .width = seen->width,
	                           .height = seen->height,
	                           .depth = seen->depth};
}

static predictd_argument sampler_argument(const seen_argument *seen)
{
	return (predictd_argument){.kind = PREDICTD_SAMPLER,
	                           .type = seen->type[0] != '\0' ? seen->type : NULL};
}

/* As the kernel declares it. */
static bool declared_argument(const predictd_kernel *kernel, size_t index,
                              const seen_argument *seen, predictd_argument *argument, char *why,
                              size_t size)
{
	predictd_status status;
	uint64_t size_bytes = seen->size_bytes;
	switch (seen->kind) {
	case SEEN_NULL:
		/* nothing is accessed there: the least size that a question takes */
		size_bytes = 1;
		break;
	case SEEN_IMAGE:
		*argument = image_argument(seen, image_access(kernel->argument_types[index]));
		return true;
	case SEEN_SAMPLER:
		*argument = sampler_argument(seen);
		return true;
	case SEEN_UNSET:
		(void)snprintf(why, size, "argument %zu was not seen to be set", index);
		return false;
	default:
		break;
	}
	status = predictd_argument_from_bytes(kernel, index, size_bytes, seen->value, argument);
	if (status != PREDICTD_OK)
		(void)snprintf(why, size, "%s", predictd_error_text());
	else if (argument->kind == PREDICTD_BUFFER)
		argument->sample = seen->sample;
	return status == PREDICTD_OK;
}

/* Without a declaration a value is told from others as an integer of its size. */
static predictd_argument sourceless_argument(const seen_argument *seen)
{
	predictd_argument argument = {.size_bytes = seen->size_bytes};
	uint32_t word;
	uint64_t words;
	switch (seen->kind) {
	case SEEN_IMAGE:
		return image_argument(seen, PREDICTD_READ_WRITE);
	case SEEN_SAMPLER:
		return sampler_argument(seen);
	case SEEN_LOCAL:
		argument.kind = PREDICTD_LOCAL;
		return argument;
	case SEEN_VALUE:
		argument.kind = PREDICTD_STRUCT;
		if (seen->value == NULL ||
		    (seen->size_bytes != sizeof word && seen->size_bytes != sizeof words))
			return argument;
		argument = (predictd_argument){.kind = PREDICTD_SCALAR, .type = "uint"};
		if (seen->size_bytes == sizeof word) {
			memcpy(&word, seen->value, sizeof word);
			argument.integers[0] = word;
		} else {
			memcpy(&words, seen->value, sizeof words);
			argument.type = "ulong";
			argument.integers[0] = (int64_t)words;
		}
		return argument;
	default:
		argument.kind = PREDICTD_BUFFER;
		argument.access = PREDICTD_READ_WRITE;
		return argument;
	}
}

bool question_make(const seen_shape *shape, const predictd_program *program, bool is_sourceless,
                   struct question *question, char *why, size_t size)
{
	const predictd_kernel *kernel =
	        is_sourceless ? NULL : kernel_find(program, shape->kernel->name);
	*question = (struct question){.arguments = NULL};
	if (!is_sourceless && kernel == NULL) {
		(void)snprintf(why, size, "no kernel %.200s was found in its source",
		               shape->kernel->name);
		return false;
	}
	if (!is_sourceless && kernel->argument_count != shape->argument_count) {
		(void)snprintf(why, size, "%.200s takes %zu arguments, and was launched with %u",
		               kernel->name, kernel->argument_count, shape->argument_count);
		return false;
	}
	question->arguments = calloc(shape->argument_count + 1u, sizeof *question->arguments);
	if (question->arguments == NULL) {
		(void)snprintf(why, size, "no memory for its question");
		return false;
	}
	for (uint32_t i = 0; i < shape->argument_count; i++) {
		const seen_argument *seen = &shape->arguments[i];
		if (is_sourceless)
			question->arguments[i] = sourceless_argument(seen);
		else if (!declared_argument(kernel, i, seen, &question->arguments[i], why, size))
			return false;
	}
	question->question =
	        (predictd_question){.program = program,
	                            .kernel = is_sourceless ? NULL : shape->kernel->name,
	                            .device = shape->device->key,
	                            .dimensions = shape->dimensions,
	                            .argument_count = shape->argument_count,
	                            .arguments = question->arguments};
	memcpy(question->question.global, shape->global, sizeof shape->global);
	memcpy(question->question.local, shape->local, sizeof shape->local);
	memcpy(question->question.offset, shape->offset, sizeof shape->offset);
	return true;
}
