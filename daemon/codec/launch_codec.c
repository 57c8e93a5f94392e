/* SPDX-License-Identifier: Apache-2.0 */
/* A launch from its message. */
#include "daemon/codec/launch_codec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS_MAX = 3, HINT_TRIPS_MAX_LOG2 = 62 };

static enum status decode_sizes(const Predictd__Launch *message, struct launch *launch,
                                struct error *error)
{
	size_t dimensions = message->n_global_items;
	if (dimensions < 1 || dimensions > DIMENSIONS_MAX)
		return error_set(error, STATUS_INVALID, "global size: want 1 to %d sizes, got %zu",
		                 DIMENSIONS_MAX, dimensions);
	if (message->n_local_items != 0 && message->n_local_items != dimensions)
		return error_set(error, STATUS_INVALID,
		                 "local size: want none or %zu sizes as the global size has, "
		                 "got %zu",
		                 dimensions, message->n_local_items);
	if (message->n_offset_items != 0 && message->n_offset_items != dimensions)
		return error_set(error, STATUS_INVALID,
		                 "offset: want none or %zu as the global size has, got %zu",
		                 dimensions, message->n_offset_items);
	launch->dimensions = (uint32_t)dimensions;
	launch->has_local = message->n_local_items > 0;
	for (size_t i = 0; i < DIMENSIONS_MAX; i++) {
		launch->global[i] = i < dimensions ? message->global_items[i] : 1;
		launch->local[i] = i < message->n_local_items ? message->local_items[i] : 1;
		launch->offset[i] = i < message->n_offset_items ? message->offset_items[i] : 0;
	}
	return STATUS_OK;
}

/* The value as its type holds it: truncated to the type's width, then extended. */
static int64_t integer_fit(int64_t value, struct type type)
{
	unsigned bits = 8 * scalar_bytes((enum scalar)type.scalar);
	if (type.scalar == SCALAR_BOOL)
		return value != 0;
	if (bits >= 64)
		return value;
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint64_t kept = (uint64_t)value & mask;
	bool is_negative = (kept >> (bits - 1)) != 0;
	if (is_negative && type_is_signed(type))
		kept |= ~mask;
	int64_t result;
	memcpy(&result, &kept, sizeof result);
	return result;
}

static enum status decode_scalar(const Predictd__Argument *message, size_t index,
                                 struct launch_argument *argument, struct error *error)
{
	if (!type_parse(message->type, &argument->type) || !type_is_valid(argument->type) ||
	    argument->type.scalar == SCALAR_VOID)
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: want a scalar or vector type of OpenCL C, got "
		                 "\"%.40s\"",
		                 index, message->type);
	bool is_integer = type_is_integer(argument->type);
	size_t want = argument->type.width;
	size_t got = is_integer ? message->n_integers : message->n_reals;
	size_t other = is_integer ? message->n_reals : message->n_integers;
	if (got != want || other != 0)
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: %.40s: want %zu %s, got %zu and %zu of the other "
		                 "kind",
		                 index, message->type, want, is_integer ? "integers" : "reals", got,
		                 other);
	memset(&argument->value, 0, sizeof argument->value);
	unsigned bits = 8 * scalar_bytes((enum scalar)argument->type.scalar);
	for (size_t i = 0; i < want; i++) {
		if (!is_integer) {
			argument->value.real[i] = message->reals[i];
			continue;
		}
		int64_t value = message->integers[i];
		if (bits < 64 &&
		    (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << bits))
			return error_set(error, STATUS_INVALID,
			                 "argument %zu: %" PRId64 " does not fit %.40s", index,
			                 value, message->type);
		argument->value.integer[i] = integer_fit(value, argument->type);
	}
	return STATUS_OK;
}

static enum status decode_image(const Predictd__Argument *message, size_t index,
                                struct launch_argument *argument, struct error *error)
{
	enum image_format format;
	if (message->type[0] == '\0')
		return STATUS_OK; /* assumed by launch_check */
	if (!image_format_parse(message->type, &format))
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: want an image format such as rgba8, r32f or "
		                 "rgba32f, got \"%.40s\"",
		                 index, message->type);
	argument->has_format = true;
	argument->format = (uint8_t)format;
	return STATUS_OK;
}

static enum status decode_sampler(const Predictd__Argument *message, size_t index,
                                  struct launch_argument *argument, struct error *error)
{
	if (sampler_parse(message->type, &argument->sampler))
		return STATUS_OK;
	return error_set(error, STATUS_INVALID,
	                 "argument %zu: want a sampler nearest or linear, and after commas "
	                 "normalized, clamp, clamp_to_edge, repeat or mirrored, got \"%.40s\"",
	                 index, message->type);
}

static enum status decode_argument(const Predictd__Argument *message, size_t index,
                                   struct launch_argument *argument, struct error *error)
{
	if (message->kind >= ARGUMENT_KIND_COUNT)
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: want a kind below %d, got %u", index,
		                 ARGUMENT_KIND_COUNT, message->kind);
	if (message->access > BUFFER_READ_WRITE)
		return error_set(error, STATUS_INVALID, "argument %zu: want access 1 to %d, got %u",
		                 index, BUFFER_READ_WRITE, message->access);
	if (message->has_range && message->low > message->high)
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: range: want low <= high, got %" PRId64 "..%" PRId64,
		                 index, message->low, message->high);
	argument->kind = (uint8_t)message->kind;
	argument->access = (uint8_t)message->access;
	if (message->access == 0 && message->kind != ARGUMENT_IMAGE)
		argument->access = BUFFER_READ_WRITE; /* of an image: as the kernel declares it */
	argument->has_range = message->has_range;
	argument->low = message->low;
	argument->high = message->high;
	argument->type = type_scalar(SCALAR_VOID);
	argument->size_bytes = message->size_bytes;
	argument->width = message->width;
	argument->height = message->height;
	argument->depth = message->depth;
	argument->has_format = false;
	argument->format = 0;
	argument->sampler = 0;
	argument->sample = NULL; /* its name means something to who keeps it */
	if (message->kind == ARGUMENT_SCALAR)
		return decode_scalar(message, index, argument, error);
	if (message->kind == ARGUMENT_IMAGE)
		return decode_image(message, index, argument, error);
	if (message->kind == ARGUMENT_SAMPLER)
		return decode_sampler(message, index, argument, error);
	return STATUS_OK;
}

static enum status decode_hint(const Predictd__Hint *message, size_t index,
                               struct launch_hint *hint, struct error *error)
{
	double most = message->is_branch ? 1 : ldexp(1, HINT_TRIPS_MAX_LOG2);
	if (!(message->value >= 0 && message->value <= most))
		return error_set(error, STATUS_INVALID,
		                 "hint %zu, %s of line %u: want 0 to %g, got %g", index,
		                 message->is_branch ? "branch" : "loop", message->line, most,
		                 message->value);
	*hint = (struct launch_hint){
	        .is_branch = message->is_branch != 0,
	        .line = message->line,
	        .value = message->value,
	};
	return STATUS_OK;
}

enum status launch_decode(const Predictd__Launch *message, struct launch *launch,
                          struct error *error)
{
	if (message == NULL)
		return error_set(error, STATUS_INVALID, "launch: want one, got none");
	enum status status = decode_sizes(message, launch, error);
	if (status != STATUS_OK)
		return status;
	if (message->n_arguments > LAUNCH_ARGUMENTS_MAX)
		return error_set(error, STATUS_INVALID, "want at most %d arguments, got %zu",
		                 LAUNCH_ARGUMENTS_MAX, message->n_arguments);
	if (message->n_hints > LAUNCH_HINTS_MAX)
		return error_set(error, STATUS_INVALID, "want at most %d hints, got %zu",
		                 LAUNCH_HINTS_MAX, message->n_hints);
	launch->argument_count = (uint32_t)message->n_arguments;
	for (size_t i = 0; i < message->n_arguments && status == STATUS_OK; i++)
		status = decode_argument(message->arguments[i], i, &launch->arguments[i], error);
	launch->hint_count = (uint32_t)message->n_hints;
	for (size_t i = 0; i < message->n_hints && status == STATUS_OK; i++)
		status = decode_hint(message->hints[i], i, &launch->hints[i], error);
	launch->idle_s = message->idle_s;
	return status != STATUS_OK ? status : launch_check_idle(launch->idle_s, error);
}
