/* SPDX-License-Identifier: Apache-2.0 */
/* Reaches of a kernel's arguments: of each access, then of all together. */
#include "model/split/split.h"

#include "model/split/form.h"
#include "model/split/meaning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes, statements and guards that are looked at for one launch: tenths of a second at most. */
enum { LOOKS_MAX = 1 << 19 };

struct finding {
	const struct ir_kernel *kernel;
	const struct launch *launch;
	uint32_t dimension;
	struct context whole, here; /* what holds for the launch, and at the access at hand */
	uint64_t looks;
	uint32_t last_serial;
	struct split_reaches *reaches;
};

static void refuse(char refusal[SPLIT_REASON_MAX], uint32_t line, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* The first reason stays. */
static void refuse(char refusal[SPLIT_REASON_MAX], uint32_t line, const char *format, ...)
{
	size_t used = 0;
	va_list arguments;
	if (refusal[0] != '\0')
		return;
	if (line > 0)
		used = (size_t)snprintf(refusal, SPLIT_REASON_MAX, "line %u: ", line);
	va_start(arguments, format);
	(void)vsnprintf(refusal + used, SPLIT_REASON_MAX - used, format, arguments);
	va_end(arguments);
}

/* ---- where an access stands ---------------------------------------------------------------- */

/* Whether a block ends by leaving what a place is within. */
static bool block_leaves(const struct ir_kernel *kernel, uint32_t block, uint32_t place)
{
	const struct ir_statement *last;
	if (block == IR_NONE || kernel->blocks[block].last == IR_NONE)
		return false;
	last = &kernel->statements[kernel->blocks[block].last];
	return (last->kind == STATEMENT_EXIT || last->kind == STATEMENT_NEXT) &&
	       (last->target == IR_NONE || kernel_is_within(kernel, place, last->target));
}

/* What holds behind, or in, a statement on the way to the access. */
static void enter(struct finding *finding, const struct ir_statement *statement, uint32_t inside,
                  bool *is_certain)
{
	struct context *here = &finding->here;
	bool is_true = true;
	if (statement->kind == STATEMENT_LOOP) {
		*is_certain = false;
		if (!statement->tests_last && statement->condition != IR_NONE)
			guard_add(here, here, statement->condition, true);
		return;
	}
	if (statement->kind != STATEMENT_BRANCH)
		return;
	if (inside != IR_NONE)
		is_true = inside == statement->body;
	else if (block_leaves(finding->kernel, statement->body, here->block))
		is_true = false;
	else if (!block_leaves(finding->kernel, statement->otherwise, here->block))
		return;
	if (condition_decide(&finding->whole, statement->condition) != (int)is_true)
		*is_certain = false;
	guard_add(here, here, statement->condition, is_true);
}

/* All that holds at a statement of an access. *is_certain: every work-item comes there. */
static bool stand_at(struct finding *finding, uint32_t statement, bool *is_certain)
{
	const struct ir_kernel *kernel = finding->kernel;
	uint32_t path[IR_DEPTH_MAX + 1], block = kernel->statements[statement].block;
	unsigned depth = 0;
	*is_certain = true;
	context_restart(&finding->here, block);
	path[depth++] = statement;
	while (kernel->blocks[block].owner != IR_NONE && depth <= IR_DEPTH_MAX) {
		path[depth++] = kernel->blocks[block].owner;
		block = kernel->statements[kernel->blocks[block].owner].block;
	}
	while (depth-- > 0) {
		block = kernel->statements[path[depth]].block;
		for (uint32_t i = kernel->blocks[block].first; i != IR_NONE && i != path[depth];
		     i = kernel->statements[i].following) {
			if (finding->looks == 0)
				return false;
			finding->looks--;
			enter(finding, &kernel->statements[i], IR_NONE, is_certain);
		}
		if (depth > 0)
			enter(finding, &kernel->statements[path[depth]],
			      kernel->statements[path[depth - 1]].block, is_certain);
	}
	/* what was looked at before all was known is looked at again */
	finding->here.serial = ++finding->last_serial;
	return true;
}

/* Whether some work-items leave before an access, by what is not a branch that none takes. */
static bool may_leave(struct finding *finding, uint32_t block)
{
	const struct ir_kernel *kernel = finding->kernel;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *statement = &kernel->statements[i], *owner;
		if (finding->looks == 0)
			return true;
		finding->looks--;
		if ((statement->kind != STATEMENT_EXIT && statement->kind != STATEMENT_NEXT) ||
		    (statement->target != IR_NONE &&
		     !kernel_is_within(kernel, block, statement->target)))
			continue;
		if (kernel->blocks[statement->block].owner == IR_NONE)
			return true;
		owner = &kernel->statements[kernel->blocks[statement->block].owner];
		if (owner->kind != STATEMENT_BRANCH ||
		    condition_decide(&finding->whole, owner->condition) !=
		            (int)(statement->block != owner->body))
			return true;
	}
	return false;
}

/* ---- what an access reaches ---------------------------------------------------------------- */

/* Bytes that an access moves; a vector of three that is not packed has one more element. */
static uint32_t moved_bytes(const struct ir_access *access)
{
	if (access->type.width == 3 && access->is_packed)
		return 3 * scalar_bytes((enum scalar)access->type.scalar);
	return type_bytes(access->type);
}

static struct form address_of(struct finding *finding, const struct ir_access *access)
{
	struct form form = form_constant(0), offset = form_constant(access->offset_bytes);
	if (access->index != IR_NONE) {
		struct type type = finding->kernel->nodes[access->index].type;
		/* addresses wrap at 64 bits, and so do indices of so many */
		form = scalar_bytes((enum scalar)type.scalar) == 8
		               ? form_of(&finding->here, access->index)
		               : form_value(&finding->here, access->index);
		form = form_scale(&form, access->scale_bytes);
	}
	form = form_add(&form, &offset);
	form_normalise(&finding->here, &form);
	return form;
}

/* A sum that does not overflow, or all that can be. */
static bool sum(int64_t a, int64_t b, int64_t *result)
{
	return !__builtin_add_overflow(a, b, result);
}

/*
 * An item is the first of its group, and its place in that. With stride s along the dimension, and
 * a factor t of the local id, it is at s * first + (s + t) * place + all else.
 */
static struct reach reach_of(const struct finding *finding, const struct form *address,
                             uint32_t bytes)
{
	static const struct reach whole = {.kind = REACH_WHOLE};
	const struct context *here = &finding->here;
	uint32_t d = finding->dimension;
	int64_t stride, local, both, group, low, high, a, b;
	struct form rest = *address;
	struct reach reach = {.kind = REACH_OWN};
	if (!address->is_known || address->factors[TERM_GROUP + d] != 0)
		return whole;
	stride = address->factors[TERM_GLOBAL + d];
	local = address->factors[TERM_LOCAL + d];
	rest.factors[TERM_GLOBAL + d] = rest.factors[TERM_LOCAL + d] = 0;
	if (!form_range(here, &rest, &low, &high) || __builtin_add_overflow(stride, local, &both) ||
	    __builtin_mul_overflow(both, here->low[TERM_LOCAL + d], &a) ||
	    __builtin_mul_overflow(both, here->high[TERM_LOCAL + d], &b) ||
	    __builtin_mul_overflow(stride, (int64_t)finding->launch->local[d], &group) ||
	    !sum(low, a < b ? a : b, &low) || !sum(high, a < b ? b : a, &high) ||
	    !sum(high, bytes, &high) || (stride < 0 && __builtin_sub_overflow(low, group, &low)) ||
	    (stride > 0 && __builtin_sub_overflow(high, group, &high)))
		return whole;
	reach.stride_bytes = stride;
	reach.low_bytes = low;
	reach.high_bytes = high;
	return reach;
}

/* The bytes that all parts reach together; false: any. */
static bool hull(const struct finding *finding, const struct reach *reach, int64_t *low,
                 int64_t *high)
{
	int64_t far;
	*low = reach->low_bytes;
	*high = reach->high_bytes;
	return reach->kind == REACH_OWN &&
	       !__builtin_mul_overflow(reach->stride_bytes,
	                               (int64_t)finding->launch->global[finding->dimension],
	                               &far) &&
	       sum(far < 0 ? *low : *high, far, far < 0 ? low : high);
}

/* Adds what another access reaches. */
static void reach_join(const struct finding *finding, struct reach *reach,
                       const struct reach *other)
{
	int64_t low[2], high[2];
	struct reach joined = {.kind = REACH_WHOLE};
	if (reach->kind == REACH_NOTHING) {
		*reach = *other;
		return;
	}
	if (reach->kind == REACH_OWN && other->kind == REACH_OWN) {
		joined = *reach;
		if (reach->stride_bytes == other->stride_bytes) {
			low[0] = reach->low_bytes, high[0] = reach->high_bytes;
			low[1] = other->low_bytes, high[1] = other->high_bytes;
		} else if (hull(finding, reach, &low[0], &high[0]) &&
		           hull(finding, other, &low[1], &high[1])) {
			joined.stride_bytes = 0;
		} else {
			*reach = (struct reach){.kind = REACH_WHOLE};
			return;
		}
		joined.low_bytes = low[0] < low[1] ? low[0] : low[1];
		joined.high_bytes = high[0] > high[1] ? high[0] : high[1];
	}
	*reach = joined;
}

/* Parts that meet at a work-item have no byte of it in common. */
static bool is_apart(const struct reach *a, const struct reach *b)
{
	return a->kind == REACH_OWN && b->kind == REACH_OWN && a->stride_bytes != 0 &&
	       a->stride_bytes == b->stride_bytes && a->high_bytes <= b->low_bytes &&
	       b->high_bytes <= a->low_bytes;
}

/* ---- whether all of it is written ---------------------------------------------------------- */

struct digit {
	int64_t factor;
	uint64_t extent;
};

static int compare_digits(const void *a, const void *b)
{
	const struct digit *left = a, *right = b;
	return (left->factor > right->factor) - (left->factor < right->factor);
}

static void digit_add(struct digit *digits, unsigned *count, int64_t factor, uint64_t extent)
{
	if (factor != 0 && extent > 1 && factor != INT64_MIN)
		digits[(*count)++] = (struct digit){factor < 0 ? -factor : factor, extent};
}

/*
 * Whether work-items that all come there fill what lies between the first byte and the last: each
 * multiple, in order, begins no later than what the smaller ones have filled. That of the split
 * dimension comes last, so that it is so for any part.
 */
static bool is_dense(const struct finding *finding, const struct form *address, uint32_t bytes)
{
	const struct launch *launch = finding->launch;
	struct digit digits[2 * TERM_COUNT];
	unsigned count = 0;
	int64_t span = bytes, last = 0;
	if (!address->is_known || address->low != address->high)
		return false;
	for (unsigned d = 0; d < 3; d++) {
		int64_t global = address->factors[TERM_GLOBAL + d];
		int64_t local = address->factors[TERM_LOCAL + d], both, group;
		uint64_t groups = launch->global[d] / launch->local[d];
		if (launch->global[d] % launch->local[d] != 0 ||
		    __builtin_add_overflow(global, local, &both) ||
		    __builtin_mul_overflow(global, (int64_t)launch->local[d], &group) ||
		    __builtin_add_overflow(group, address->factors[TERM_GROUP + d], &group) ||
		    group == INT64_MIN)
			return false;
		digit_add(digits, &count, both, launch->local[d]);
		if (d == finding->dimension)
			last = group < 0 ? -group : group;
		else
			digit_add(digits, &count, group, groups);
	}
	qsort(digits, count, sizeof *digits, compare_digits);
	for (unsigned i = 0; i < count; i++) {
		int64_t far;
		if (digits[i].factor > span || digits[i].extent > INT64_MAX ||
		    __builtin_mul_overflow(digits[i].factor, (int64_t)digits[i].extent - 1, &far) ||
		    !sum(span, far, &span))
			return false;
	}
	return last <= span && last >= 0;
}

/* ---- all accesses -------------------------------------------------------------------------- */

struct access_reach {
	struct reach reach;
	uint32_t argument, line; /* IR_NONE: of no argument, or never executed */
	bool is_read, is_written, fills;
};

/* Accesses to what is no argument, but memory of the whole launch. */
static void check_own(struct finding *finding, const struct ir_access *access,
                      const struct ir_object *object)
{
	if (object->space == SPACE_GLOBAL && access->kind != ACCESS_LOAD)
		refuse(finding->reaches->refusal, access->line,
		       "%.60s is written, which is no argument", object->name);
}

static bool find_reach(struct finding *finding, uint32_t statement, struct access_reach *found)
{
	const struct ir_kernel *kernel = finding->kernel;
	const struct ir_access *access = &kernel->accesses[kernel->statements[statement].access];
	const struct ir_object *object = &kernel->objects[access->object];
	bool is_certain;
	*found = (struct access_reach){.argument = IR_NONE, .line = access->line};
	if (object->space == SPACE_LOCAL || object->space == SPACE_PRIVATE)
		return true;
	if (object->argument == IR_NONE || object->argument >= kernel->argument_count) {
		check_own(finding, access, object);
		return true;
	}
	found->is_read = access->kind != ACCESS_STORE;
	found->is_written = access->kind != ACCESS_LOAD;
	if (object->space == SPACE_IMAGE) {
		found->argument = object->argument;
		found->reach.kind = REACH_WHOLE;
		return true;
	}
	if (!stand_at(finding, statement, &is_certain))
		return false;
	for (unsigned t = 0; t < TERM_COUNT; t++)
		if (finding->here.low[t] > finding->here.high[t])
			return true; /* no work-item comes there */
	struct form address = address_of(finding, access);
	found->argument = object->argument;
	found->reach = reach_of(finding, &address, moved_bytes(access));
	found->fills = access->kind == ACCESS_STORE && is_certain &&
	               (access->type.width != 3 || access->is_packed) &&
	               is_dense(finding, &address, moved_bytes(access)) &&
	               !may_leave(finding, kernel->statements[statement].block);
	return true;
}

/* Why writes of one access are not each part's own. */
static void explain(const struct finding *finding, const struct ir_argument *argument,
                    const struct access_reach *found, char refusal[SPLIT_REASON_MAX])
{
	if (argument->kind == ARGUMENT_IMAGE)
		refuse(refusal, found->line, "an image is written, which is not split");
	else if (found->reach.kind == REACH_WHOLE)
		refuse(refusal, found->line, "%s where data or unknown values say",
		       found->is_read ? "an atomic is" : "it is written");
	else if (found->reach.stride_bytes == 0)
		refuse(refusal, found->line, "%s at places that do not go with dimension %u",
		       found->is_read ? "an atomic is" : "it is written", finding->dimension);
	else
		refuse(refusal, found->line,
		       "neighbours along dimension %u write into each other's part: %lld bytes a "
		       "work-item, which reach from %lld to %lld",
		       finding->dimension, (long long)found->reach.stride_bytes,
		       (long long)found->reach.low_bytes, (long long)found->reach.high_bytes);
}

/* All accesses of one argument together. */
static void join_argument(const struct finding *finding, uint32_t argument,
                          const struct access_reach *found, uint32_t count)
{
	struct split_argument *result = &finding->reaches->arguments[argument];
	for (uint32_t i = 0; i < count; i++) {
		if (found[i].argument != argument)
			continue;
		if (found[i].is_read)
			reach_join(finding, &result->reads, &found[i].reach);
		if (!found[i].is_written)
			continue;
		reach_join(finding, &result->writes, &found[i].reach);
		if (!is_apart(&found[i].reach, &found[i].reach))
			explain(finding, &finding->kernel->arguments[argument], &found[i],
			        result->refusal);
		else if (!is_apart(&result->writes, &result->writes))
			refuse(result->refusal, found[i].line,
			       "what a part writes is not one piece of the buffer");
	}
	for (uint32_t i = 0; i < count && result->writes.kind == REACH_OWN; i++) {
		int64_t low, high, from, to;
		if (found[i].argument != argument)
			continue;
		const struct reach *reach = &found[i].reach;
		result->is_filled |= found[i].fills && found[i].is_written &&
		                     reach->stride_bytes == result->writes.stride_bytes &&
		                     reach->low_bytes == result->writes.low_bytes &&
		                     reach->high_bytes == result->writes.high_bytes;
		if (!found[i].is_read || is_apart(reach, &result->writes))
			continue;
		if (!hull(finding, &result->writes, &low, &high) ||
		    !hull(finding, reach, &from, &to) || (from < high && low < to))
			refuse(result->refusal, found[i].line,
			       "a part reads of it what other parts write");
	}
}

/* The same bytes for all parts, and no others are there. */
static void reach_settle(struct reach *reach, uint64_t size_bytes)
{
	if (reach->kind == REACH_OWN && reach->stride_bytes == 0 && reach->low_bytes <= 0 &&
	    (reach->high_bytes < 0 ? 0 : (uint64_t)reach->high_bytes) >= size_bytes)
		*reach = (struct reach){.kind = REACH_WHOLE};
}

static enum status find_all(struct finding *finding, struct access_reach *found)
{
	const struct ir_kernel *kernel = finding->kernel;
	struct split_reaches *reaches = finding->reaches;
	uint32_t count = 0;
	context_restart(&finding->whole, 0);
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_ACCESS &&
		    !find_reach(finding, i, &found[count++])) {
			refuse(reaches->refusal, 0, "the kernel is too large to be looked through");
			return STATUS_OK;
		}
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		join_argument(finding, i, found, count);
		reach_settle(&reaches->arguments[i].reads,
		             launch_argument_bytes(&finding->launch->arguments[i]));
	}
	return STATUS_OK;
}

enum status split_find_reaches(const struct ir_kernel *kernel, const struct launch *launch,
                               uint32_t dimension, struct split_reaches *reaches,
                               struct error *error)
{
	struct finding finding = {.kernel = kernel,
	                          .launch = launch,
	                          .dimension = dimension,
	                          .looks = LOOKS_MAX,
	                          .reaches = reaches};
	enum status status = STATUS_OK;
	if (dimension >= launch->dimensions)
		return error_set(error, STATUS_INVALID, "dimension: want less than %u, got %u",
		                 launch->dimensions, dimension);
	memset(reaches, 0, sizeof *reaches);
	reaches->argument_count = kernel->argument_count;
	if (kernel->unsupported[0] != '\0' || kernel->unknown[0] != '\0') {
		refuse(reaches->refusal, 0, "what it does is not known: %s",
		       kernel->unsupported[0] != '\0' ? kernel->unsupported : kernel->unknown);
		return STATUS_OK;
	}
	for (unsigned d = 0; d < 3; d++)
		if (launch->global[d] > INT64_MAX || launch->offset[d] > INT64_MAX) {
			refuse(reaches->refusal, 0, "its work-items are numbered beyond 2^63");
			return STATUS_OK;
		}
	if (!meaning_stays(kernel, launch, dimension, reaches->refusal))
		return STATUS_OK;
	struct access_reach *found = calloc((size_t)kernel->statement_count + 1, sizeof *found);
	struct form *forms = calloc((size_t)kernel->node_count + 1, sizeof *forms);
	uint32_t *serials = calloc((size_t)kernel->node_count + 1, sizeof *serials);
	struct form *forms_whole = calloc((size_t)kernel->node_count + 1, sizeof *forms);
	uint32_t *serials_whole = calloc((size_t)kernel->node_count + 1, sizeof *serials);
	if (found == NULL || forms == NULL || serials == NULL || forms_whole == NULL ||
	    serials_whole == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "parts: no memory");
		goto out;
	}
	finding.here = (struct context){.kernel = kernel,
	                                .launch = launch,
	                                .looks = &finding.looks,
	                                .last_serial = &finding.last_serial};
	finding.whole = finding.here;
	finding.here.forms = forms;
	finding.here.serials = serials;
	finding.whole.forms = forms_whole;
	finding.whole.serials = serials_whole;
	status = find_all(&finding, found);
out:
	free(found);
	free(forms);
	free(serials);
	free(forms_whole);
	free(serials_whole);
	return status;
}

static uint64_t clamp(int64_t value, uint64_t most)
{
	return value < 0 ? 0 : (uint64_t)value > most ? most : (uint64_t)value;
}

void reach_bytes(const struct reach *reach, uint64_t begin, uint64_t end, uint64_t size_bytes,
                 uint64_t *from, uint64_t *to)
{
	int64_t low, high;
	bool is_down = reach->stride_bytes < 0;
	*from = *to = 0;
	if (reach->kind == REACH_NOTHING || begin >= end)
		return;
	*to = size_bytes;
	if (reach->kind != REACH_OWN || end > INT64_MAX ||
	    __builtin_mul_overflow(reach->stride_bytes, (int64_t)(is_down ? end : begin), &low) ||
	    __builtin_mul_overflow(reach->stride_bytes, (int64_t)(is_down ? begin : end), &high) ||
	    !sum(low, reach->low_bytes, &low) || !sum(high, reach->high_bytes, &high))
		return;
	*from = clamp(low, size_bytes);
	*to = clamp(high, size_bytes);
	*to = *to < *from ? *from : *to;
}
