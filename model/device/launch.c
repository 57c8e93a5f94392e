/* SPDX-License-Identifier: Apache-2.0 */
/* A launch checked as clSetKernelArg and clEnqueueNDRangeKernel would, with sentences. */
#include "model/device/launch.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/device.h"
#include "model/device/local_size.h"
#include "model/device/sample.h"
#include "model/ir/fold.h"

enum { PHRASE_MAX = 64 };

#define ITEMS_MAX (UINT64_C(1) << 62)

static const char *const kinds[ARGUMENT_KIND_COUNT] = {"buffer", "scalar", "local memory",
                                                       "struct", "image",  "sampler"};

#define INVALID(error, ...) error_set((error), STATUS_INVALID, __VA_ARGS__)

/* ---- arguments ----------------------------------------------------------------------------- */

/* "scalar uint", "struct of 12 bytes", "buffer": what the kernel declares. */
static void describe_wanted(const struct ir_argument *wanted, char text[PHRASE_MAX])
{
	char type[16];
	if (wanted->kind == ARGUMENT_SCALAR) {
		type_format(wanted->type, type);
		(void)snprintf(text, PHRASE_MAX, "scalar %s", type);
	} else if (wanted->kind == ARGUMENT_STRUCT) {
		(void)snprintf(text, PHRASE_MAX, "struct of %u bytes", wanted->size_bytes);
	} else if (wanted->kind == ARGUMENT_IMAGE) {
		(void)snprintf(text, PHRASE_MAX, "image of kind %s",
		               image_kind_name((enum image_kind)wanted->image));
	} else {
		(void)snprintf(text, PHRASE_MAX, "%s", kinds[wanted->kind]);
	}
}

/* "buffer of 64 bytes" and the like: what the caller gave. */
static void describe_got(const struct launch_argument *got, char text[PHRASE_MAX])
{
	char type[16] = "value";
	switch (got->kind) {
	case ARGUMENT_SCALAR:
		if (type_is_valid(got->type))
			type_format(got->type, type);
		(void)snprintf(text, PHRASE_MAX, "scalar %s", type);
		break;
	case ARGUMENT_IMAGE:
		(void)snprintf(text, PHRASE_MAX, "image of %ux%ux%u", got->width, got->height,
		               got->depth);
		break;
	case ARGUMENT_SAMPLER:
		(void)snprintf(text, PHRASE_MAX, "sampler");
		break;
	case ARGUMENT_BUFFER:
	case ARGUMENT_LOCAL:
	case ARGUMENT_STRUCT:
		(void)snprintf(text, PHRASE_MAX, "%s of %" PRIu64 " bytes", kinds[got->kind],
		               got->size_bytes);
		break;
	default:
		(void)snprintf(text, PHRASE_MAX, "kind %u", got->kind);
	}
}

/* An integer may come as the other signedness of its size: the bits are the same. */
static bool take_scalar(const struct ir_argument *wanted, struct launch_argument *got)
{
	if (!type_is_valid(got->type) || got->type.width != wanted->type.width)
		return false;
	if (got->type.scalar == wanted->type.scalar)
		return true;
	if (!type_is_integer(got->type) || !type_is_integer(wanted->type) ||
	    type_bytes(got->type) != type_bytes(wanted->type))
		return false;
	got->type = wanted->type;
	return true;
}

static enum status check_values(const struct ir_argument *wanted, struct launch_argument *got,
                                unsigned i, struct error *error)
{
	for (unsigned lane = 0; lane < wanted->type.width; lane++) {
		if (type_is_integer(wanted->type))
			got->value.integer[lane] = (int64_t)fold_wrap(
			        wanted->type, (uint64_t)got->value.integer[lane]);
		else if (isnan(got->value.real[lane]))
			return INVALID(error, "argument %u (%s): want a number, got NaN", i,
			               wanted->name);
	}
	return STATUS_OK;
}

static enum status check_sample(const struct ir_argument *wanted, const struct launch_argument *got,
                                unsigned i, struct error *error)
{
	if (got->sample == NULL)
		return STATUS_OK;
	if (got->kind != ARGUMENT_BUFFER)
		return INVALID(error,
		               "argument %u (%s): want a sample of buffers alone, got one of %s", i,
		               wanted->name, kinds[got->kind]);
	if (got->sample->size_bytes != got->size_bytes)
		return INVALID(error,
		               "argument %u (%s): want a sample of a buffer of %" PRIu64
		               " bytes, got one of %" PRIu64,
		               i, wanted->name, got->size_bytes, got->sample->size_bytes);
	return STATUS_OK;
}

static enum status check_argument(const struct ir_argument *wanted, struct launch_argument *got,
                                  unsigned i, struct error *error)
{
	char want_text[PHRASE_MAX], got_text[PHRASE_MAX];
	bool is_sized = got->kind == ARGUMENT_BUFFER || got->kind == ARGUMENT_LOCAL;
	bool is_undeclared = wanted->kind == ARGUMENT_STRUCT && wanted->size_bytes == 0;
	if (!is_undeclared &&
	    (got->kind != wanted->kind ||
	     (got->kind == ARGUMENT_SCALAR && !take_scalar(wanted, got)) ||
	     (got->kind == ARGUMENT_STRUCT && got->size_bytes != wanted->size_bytes))) {
		describe_wanted(wanted, want_text);
		describe_got(got, got_text);
		return INVALID(error, "argument %u (%s): want %s, got %s", i, wanted->name,
		               want_text, got_text);
	}
	if (is_sized && got->size_bytes == 0)
		return INVALID(error, "argument %u (%s): want a %s of at least one byte, got none",
		               i, wanted->name, kinds[got->kind]);
	if (got->kind == ARGUMENT_IMAGE && got->access == 0)
		got->access = wanted->access > 0 ? wanted->access : BUFFER_READ_WRITE;
	if ((got->kind == ARGUMENT_BUFFER || got->kind == ARGUMENT_IMAGE) &&
	    (got->access < BUFFER_READ || got->access > BUFFER_READ_WRITE))
		return INVALID(error, "argument %u (%s): want access r, w or rw, got %u", i,
		               wanted->name, got->access);
	if (got->has_range && got->low > got->high)
		return INVALID(error,
		               "argument %u (%s): want a range from low to high, got %" PRId64
		               "..%" PRId64,
		               i, wanted->name, got->low, got->high);
	if (wanted->kind == ARGUMENT_SCALAR)
		return check_values(wanted, got, i, error);
	return check_sample(wanted, got, i, error);
}

/* ---- images -------------------------------------------------------------------------------- */

uint64_t launch_image_bytes(const struct launch_argument *argument)
{
	const uint32_t sizes[3] = {argument->width, argument->height, argument->depth};
	uint64_t bytes = argument->format < IMAGE_FORMAT_COUNT
	                         ? image_format_bytes((enum image_format)argument->format)
	                         : 4;
	for (unsigned d = 0; d < 3; d++)
		if (sizes[d] > 0 && __builtin_mul_overflow(bytes, sizes[d], &bytes))
			return UINT64_MAX;
	return bytes;
}

uint64_t launch_argument_bytes(const struct launch_argument *argument)
{
	if (argument->kind == ARGUMENT_IMAGE)
		return launch_image_bytes(argument);
	return argument->kind == ARGUMENT_BUFFER ? argument->size_bytes : 0;
}

/* What the kernel takes an image's channels for: the scalar of its accesses, or void. */
static enum scalar channel_of(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object)
			return (enum scalar)kernel->accesses[i].type.scalar;
	return SCALAR_VOID;
}

enum image_format launch_assumed_format(const struct ir_kernel *kernel, uint32_t argument)
{
	uint32_t object = kernel->arguments[argument].object;
	enum scalar channel = object == IR_NONE ? SCALAR_VOID : channel_of(kernel, object);
	return channel == SCALAR_INT    ? IMAGE_RGBA8I
	       : channel == SCALAR_UINT ? IMAGE_RGBA8UI
	                                : IMAGE_RGBA8;
}

static enum status check_format(const struct ir_kernel *kernel, struct launch_argument *got,
                                unsigned i, struct error *error)
{
	const struct ir_argument *wanted = &kernel->arguments[i];
	enum scalar channel =
	        wanted->object == IR_NONE ? SCALAR_VOID : channel_of(kernel, wanted->object);
	bool is_integer;
	const char *want = NULL;
	if (!got->has_format)
		got->format = (uint8_t)launch_assumed_format(kernel, i);
	if (got->format >= IMAGE_FORMAT_COUNT)
		return INVALID(error, "argument %u (%s): unknown format %u", i, wanted->name,
		               got->format);
	is_integer = image_format_class((enum image_format)got->format) == IMAGE_CLASS_INTEGER;
	if (channel == SCALAR_FLOAT || channel == SCALAR_HALF)
		want = is_integer ? "of reals, such as rgba8 or rgba32f" : NULL;
	else if (channel == SCALAR_INT)
		want = is_integer && image_format_is_signed((enum image_format)got->format)
		               ? NULL
		               : "of signed integers, such as rgba8i or r32i";
	else if (channel == SCALAR_UINT)
		want = is_integer && !image_format_is_signed((enum image_format)got->format)
		               ? NULL
		               : "of unsigned integers, such as rgba8ui or r32ui";
	if (want == NULL)
		return STATUS_OK;
	return INVALID(error, "argument %u (%s): want a format %s, got %s", i, wanted->name, want,
	               image_format_name((enum image_format)got->format));
}

/* The sizes of its kind, each within the device's limit. */
static enum status check_image(const struct ir_kernel *kernel, const struct device *device,
                               struct launch_argument *got, unsigned i, struct error *error)
{
	static const char *const names[3] = {"width", "height", "depth"};
	const struct ir_argument *wanted = &kernel->arguments[i];
	enum image_kind kind = (enum image_kind)wanted->image;
	unsigned sizes = image_coordinates(kind), dimensions = image_dimensions(kind);
	const uint32_t got_size[3] = {got->width, got->height, got->depth};
	enum status status = check_format(kernel, got, i, error);
	if (status != STATUS_OK)
		return status;
	if (wanted->access != 0 && (got->access & ~(unsigned)wanted->access) != 0)
		return INVALID(error, "argument %u (%s): the kernel declares it %s", i,
		               wanted->name,
		               wanted->access == BUFFER_READ ? "read_only" : "write_only");
	for (unsigned d = 0; d < 3; d++) {
		uint64_t limit = UINT64_MAX;
		bool is_layer = d >= dimensions;
		if (kind != IMAGE_NONE && (d < sizes ? got_size[d] == 0 : got_size[d] > 1))
			return INVALID(error,
			               "argument %u (%s): want %u size%s of an image %s, got "
			               "%ux%ux%u",
			               i, wanted->name, sizes, sizes == 1 ? "" : "s",
			               image_kind_name(kind), got->width, got->height, got->depth);
		if (device != NULL && kind == IMAGE_3D)
			limit = device->max_image_3d[d];
		else if (device != NULL && is_layer)
			limit = device->max_image_layers;
		else if (device != NULL && kind == IMAGE_1D_BUFFER)
			limit = device->max_image_buffer;
		else if (device != NULL && d < 2)
			limit = device->max_image_2d[d];
		if (limit > 0 && d < sizes && got_size[d] > limit)
			return INVALID(error,
			               "argument %u (%s): %s of the image: want at most %" PRIu64
			               ", the device's limit, got %u",
			               i, wanted->name, is_layer ? "layers" : names[d], limit,
			               got_size[d]);
	}
	uint64_t bytes = launch_image_bytes(got);
	if (device != NULL && device->max_allocation_bytes > 0 &&
	    bytes > device->max_allocation_bytes)
		return INVALID(error,
		               "argument %u (%s): want an image of at most %" PRIu64
		               " bytes, the device's limit, got %" PRIu64,
		               i, wanted->name, device->max_allocation_bytes, bytes);
	if (bytes > INT64_MAX / 64)
		return INVALID(error, "argument %u (%s): an image of that size", i, wanted->name);
	return STATUS_OK;
}

enum { NEAR_LINES = 3 };

/* The lines nearest to one where loops, or branches, stand: each once, in order. */
static unsigned lines_near(const struct ir_kernel *kernel, bool is_branch, uint32_t line,
                           uint32_t near[NEAR_LINES])
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];
		bool is_known =
		        s->line == 0 || s->kind != (is_branch ? STATEMENT_BRANCH : STATEMENT_LOOP);
		for (unsigned k = 0; k < count && !is_known; k++)
			is_known = near[k] == s->line;
		if (is_known)
			continue;
		unsigned farthest = count;
		if (count == NEAR_LINES) {
			uint64_t most = (uint64_t)llabs((int64_t)s->line - line);
			for (unsigned k = 0; k < count; k++) {
				uint64_t distance = (uint64_t)llabs((int64_t)near[k] - line);
				if (distance > most) {
					most = distance;
					farthest = k;
				}
			}
			if (farthest == count)
				continue;
		} else {
			count++;
		}
		near[farthest] = s->line;
	}
	for (unsigned i = 1; i < count; i++)
		for (unsigned k = i; k > 0 && near[k] < near[k - 1]; k--) {
			uint32_t other = near[k];
			near[k] = near[k - 1];
			near[k - 1] = other;
		}
	return count;
}

static enum status refuse_line(const struct ir_kernel *kernel, const struct launch_hint *hint,
                               struct error *error)
{
	uint32_t near[NEAR_LINES];
	char text[PHRASE_MAX] = "";
	size_t used = 0;
	const char *what = hint->is_branch ? "branch" : "loop";
	unsigned count = lines_near(kernel, hint->is_branch, hint->line, near);
	for (unsigned i = 0; i < count; i++) {
		if (near[i] == hint->line)
			return STATUS_OK;
		int length = snprintf(text + used, sizeof(text) - used, "%s%u",
		                      i == 0           ? ""
		                      : i + 1 == count ? " and "
		                                       : ", ",
		                      near[i]);
		used += length > 0 ? (size_t)length : 0;
	}
	if (count == 0)
		return INVALID(error, "hint for the %s in line %u: kernel %.60s has none", what,
		               hint->line, kernel->name);
	return INVALID(error,
	               "hint for the %s in line %u: none is there; the nearest %s in line%s %s",
	               what, hint->line, count == 1 ? "is" : "are", count == 1 ? "" : "s", text);
}

static enum status check_hints(const struct ir_kernel *kernel, const struct launch *launch,
                               struct error *error)
{
	if (launch->hint_count > LAUNCH_HINTS_MAX)
		return INVALID(error, "hints: want at most %d, got %u", LAUNCH_HINTS_MAX,
		               launch->hint_count);
	for (uint32_t i = 0; i < launch->hint_count; i++) {
		const struct launch_hint *hint = &launch->hints[i];
		if (!isfinite(hint->value) || hint->value < 0 ||
		    (hint->is_branch && hint->value > 1))
			return INVALID(error, "hint for the %s in line %u: want %s, got %g",
			               hint->is_branch ? "branch" : "loop", hint->line,
			               hint->is_branch ? "a share from 0 to 1" : "trips",
			               hint->value);
		/* of what was not analysed nobody knows the lines */
		enum status status = kernel->unsupported[0] != '\0'
		                             ? STATUS_OK
		                             : refuse_line(kernel, hint, error);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

/* ---- NDRange ------------------------------------------------------------------------------- */

static enum status check_global(struct launch *launch, struct error *error)
{
	uint64_t items = 1;
	if (launch->dimensions == 0 || launch->dimensions > 3)
		return INVALID(error, "NDRange: want 1 to 3 dimensions, got %u",
		               launch->dimensions);
	for (uint32_t d = launch->dimensions; d < 3; d++) {
		launch->global[d] = 1;
		launch->offset[d] = 0;
	}
	for (uint32_t d = 0; d < 3; d++) {
		uint64_t end;
		if (launch->global[d] == 0)
			return INVALID(error,
			               "NDRange dimension %u: want at least one work-item, got 0",
			               d);
		if (__builtin_mul_overflow(items, launch->global[d], &items) || items > ITEMS_MAX ||
		    __builtin_add_overflow(launch->global[d], launch->offset[d], &end) ||
		    end > ITEMS_MAX)
			return INVALID(error,
			               "NDRange dimension %u: %" PRIu64 " at offset %" PRIu64
			               " is more work-items than can be counted",
			               d, launch->global[d], launch->offset[d]);
	}
	return STATUS_OK;
}

/* The size that the runtime is assumed to choose. */
static void assume_local(const struct ir_kernel *kernel, const struct device *device,
                         struct launch *launch)
{
	if (kernel->required_local[0] != 0) {
		for (uint32_t d = 0; d < 3; d++)
			launch->local[d] = kernel->required_local[d];
		return;
	}
	local_size_assume(device, launch->global, launch->local);
}

static enum status check_local(const struct ir_kernel *kernel, const struct device *device,
                               struct launch *launch, struct error *error)
{
	uint64_t items = 1;
	for (uint32_t d = launch->dimensions; d < 3; d++)
		launch->local[d] = 1;
	for (uint32_t d = 0; d < 3; d++) {
		uint64_t local = launch->local[d], global = launch->global[d];
		if (local == 0)
			return INVALID(
			        error,
			        "work-group dimension %u: want at least one work-item, got 0", d);
		if (kernel->required_local[0] != 0 && local != kernel->required_local[d])
			return INVALID(error,
			               "work-group dimension %u: the kernel requires %u "
			               "(reqd_work_group_size), got %" PRIu64,
			               d, kernel->required_local[d], local);
		if (device != NULL && local > device->max_item_sizes[d])
			return INVALID(error,
			               "work-group dimension %u: want at most %" PRIu64
			               " work-items, the device's limit, got %" PRIu64,
			               d, device->max_item_sizes[d], local);
		if (__builtin_mul_overflow(items, local, &items) || items > ITEMS_MAX)
			return INVALID(error,
			               "work-group dimension %u: %" PRIu64
			               " is more work-items than can be counted",
			               d, local);
		if (global % local != 0 && (device == NULL || !device->allows_uneven_groups))
			return INVALID(error,
			               "NDRange dimension %u: %" PRIu64
			               " is not divisible by the work-group size %" PRIu64
			               ", and %.64s has no uneven work-groups",
			               d, global, local,
			               device == NULL || device->name[0] == '\0' ? "the device"
			                                                         : device->name);
	}
	if (device != NULL && items > device->max_group_items)
		return INVALID(error,
		               "work-group: want at most %" PRIu64
		               " work-items, the device's limit, got %" PRIu64,
		               device->max_group_items, items);
	return STATUS_OK;
}

static enum status check_local_memory(const struct ir_kernel *kernel, const struct device *device,
                                      const struct launch *launch, struct error *error)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].space == SPACE_LOCAL)
			bytes += kernel->objects[i].size_bytes; /* each at most 2^40 */
	for (uint32_t i = 0; i < launch->argument_count; i++)
		if (launch->arguments[i].kind == ARGUMENT_LOCAL &&
		    __builtin_add_overflow(bytes, launch->arguments[i].size_bytes, &bytes))
			bytes = UINT64_MAX;
	if (device != NULL && bytes > device->local_bytes)
		return INVALID(error,
		               "local memory: want at most %" PRIu64
		               " bytes a work-group, the device's limit, got %" PRIu64,
		               device->local_bytes, bytes);
	return STATUS_OK;
}

/* With types and names, as far as there is room: which one is missing is seen from them. */
static enum status refuse_count(const struct ir_kernel *kernel, uint32_t got, struct error *error)
{
	char names[160] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < kernel->argument_count && used < sizeof(names); i++) {
		const struct ir_argument *argument = &kernel->arguments[i];
		char type[16];
		type_format(argument->type, type);
		int length = snprintf(names + used, sizeof(names) - used, "%s%s %s",
		                      i == 0 ? " (" : ", ",
		                      argument->kind == ARGUMENT_SCALAR  ? type
		                      : argument->kind == ARGUMENT_LOCAL ? "local"
		                                                         : kinds[argument->kind],
		                      argument->name);
		used += length > 0 ? (size_t)length : 0;
	}
	if (used >= sizeof(names))
		(void)strcpy(names + sizeof(names) - 4, "...");
	return INVALID(error, "kernel %.60s: want %u argument%s%s%s, got %u", kernel->name,
	               kernel->argument_count, kernel->argument_count == 1 ? "" : "s", names,
	               used > 0 ? ")" : "", got);
}

static enum status check_memory(const struct ir_argument *wanted, const struct device *device,
                                const struct launch_argument *got, unsigned i, struct error *error)
{
	uint64_t bytes = launch_argument_bytes(got);
	if (device == NULL || device->global_bytes == 0 || bytes <= device->global_bytes)
		return STATUS_OK;
	return INVALID(error,
	               "argument %u (%s): %" PRIu64 " bytes is over the device's memory of %" PRIu64
	               " bytes",
	               i, wanted->name, bytes, device->global_bytes);
}

static enum status check_arguments(const struct ir_kernel *kernel, const struct device *device,
                                   struct launch *launch, struct error *error)
{
	/* Whose parameters could not be had is answered by a fallback all the same. */
	if (kernel->unsupported[0] != '\0' && kernel->argument_count == 0 &&
	    launch->argument_count <= LAUNCH_ARGUMENTS_MAX)
		return STATUS_OK;
	if (launch->argument_count != kernel->argument_count)
		return refuse_count(kernel, launch->argument_count, error);
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		enum status status =
		        check_argument(&kernel->arguments[i], &launch->arguments[i], i, error);
		if (status == STATUS_OK && launch->arguments[i].kind == ARGUMENT_IMAGE)
			status = check_image(kernel, device, &launch->arguments[i], i, error);
		if (status == STATUS_OK)
			status = check_memory(&kernel->arguments[i], device, &launch->arguments[i],
			                      i, error);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

void launch_copy(struct launch *to, const struct launch *from)
{
	uint32_t count = from->argument_count < LAUNCH_ARGUMENTS_MAX ? from->argument_count
	                                                             : LAUNCH_ARGUMENTS_MAX;

	memcpy(to, from, offsetof(struct launch, arguments) + count * sizeof(from->arguments[0]));
}

unsigned launch_row(const struct launch *launch)
{
	unsigned row = 0;

	while (row < 2 && launch->local[row] == 1)
		row++;
	return row;
}

enum status launch_check_idle(double idle_s, struct error *error)
{
	if (idle_s >= 0 && idle_s <= LAUNCH_IDLE_MAX_S)
		return STATUS_OK;
	return error_set(error, STATUS_INVALID, "idle time: want 0 to %g s, got %g",
	                 LAUNCH_IDLE_MAX_S, idle_s);
}

enum status launch_check(const struct ir_kernel *kernel, const struct device *device,
                         struct launch *launch, struct error *error)
{
	enum status status = launch_check_idle(launch->idle_s, error);
	if (status == STATUS_OK)
		status = check_arguments(kernel, device, launch, error);
	if (status == STATUS_OK)
		status = check_hints(kernel, launch, error);
	if (status == STATUS_OK)
		status = check_global(launch, error);
	if (status != STATUS_OK)
		return status;
	if (!launch->has_local)
		assume_local(kernel, device, launch);
	status = check_local(kernel, device, launch, error);
	return status != STATUS_OK ? status : check_local_memory(kernel, device, launch, error);
}
