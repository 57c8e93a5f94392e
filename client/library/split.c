/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits of one launch: what a part is asked as. Kernels see whole buffers, which their offsets
 * address; transfers are of the part's bytes. So a part is two questions, or three where it does
 * not read as much as it writes, whose answers the memo keeps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/batch.h"
#include "client/library/memo.h"
#include "client/library/program.h"
#include "client/library/split_contention.h"
#include "client/library/split_parts.h"
#include "client/library/split_solve.h"

/* What is asked of a part; transfers back alone where they are of other bytes than those to it. */
enum asked { ASKED_KERNEL, ASKED_TRANSFERS, ASKED_BACK, ASKED_COUNT };

struct splitter {
	predictd_connection *connection;
	const predictd_splitting *splitting;
	const predictd_question *question;
	uint64_t granule_items, granules;
	predictd_argument *arguments;                                /* room for one question's */
	const struct split_parts *parts[PREDICTD_SPLIT_DEVICES_MAX]; /* by device */
	unsigned asked;                                              /* how many of enum asked */
};

/* What is known of one part. */
struct part_times {
	predictd_estimate kernel, transfers; /* transfers: zeros where there are none */
};

static const char *const reasons[] = {
        [PREDICTD_SPLIT_BALANCED] = "balanced", [PREDICTD_SPLIT_GRANULE] = "granule",
        [PREDICTD_SPLIT_LAUNCH] = "launch",     [PREDICTD_SPLIT_TRANSFERS] = "transfers",
        [PREDICTD_SPLIT_SLOWDOWN] = "slowdown", [PREDICTD_SPLIT_ALONE] = "alone",
};

const char *predictd_split_reason_name(predictd_split_reason reason)
{
	return (size_t)reason < sizeof reasons / sizeof reasons[0] ? reasons[reason] : "unknown";
}

/* ---- what is asked ------------------------------------------------------------------------- */

static uint64_t part_items(const struct splitter *splitter, uint64_t begin, uint64_t granules)
{
	uint64_t left = splitter->question->global[splitter->splitting->dimension] -
	                begin * splitter->granule_items;
	return granules > left / splitter->granule_items ? left
	                                                 : granules * splitter->granule_items;
}

static const predictd_split_buffer *buffer_find(const predictd_splitting *splitting,
                                                size_t argument)
{
	for (size_t i = 0; i < splitting->buffer_count; i++)
		if (splitting->buffers[i].argument == argument)
			return &splitting->buffers[i];
	return NULL;
}

/* What goes with a part of a buffer that the caller says is split. */
static uint64_t said_bytes(const struct splitter *splitter, const predictd_split_buffer *buffer,
                           uint64_t begin, uint64_t granules, uint64_t *offset)
{
	uint64_t size = splitter->question->arguments[buffer->argument].size_bytes;
	uint64_t range = splitter->question->global[splitter->splitting->dimension];
	uint64_t items = part_items(splitter, begin, granules), bytes;
	if (buffer->granule_bytes > 0) {
		/* was checked: all granules before the last lie in the buffer */
		*offset = begin * buffer->granule_bytes;
		uint64_t left = size - *offset;
		return granules > left / buffer->granule_bytes ? left
		                                               : granules * buffer->granule_bytes;
	}
	*offset = (uint64_t)((long double)size * (long double)(begin * splitter->granule_items) /
	                     (long double)range);
	bytes = items == range
	                ? size
	                : (uint64_t)((long double)size * (long double)items / (long double)range);
	return bytes > 0 || size == 0 ? bytes : 1;
}

/* What of a buffer a part reads, and writes. */
static void part_ranges(const struct splitter *splitter, const predictd_split_argument *arguments,
                        size_t argument, uint64_t begin, uint64_t granules,
                        predictd_split_range *reads, predictd_split_range *writes)
{
	const predictd_split_buffer *buffer = buffer_find(splitter->splitting, argument);
	if (buffer != NULL) {
		reads->bytes = said_bytes(splitter, buffer, begin, granules, &reads->offset_bytes);
		*writes = *reads;
		return;
	}
	split_parts_bytes(&arguments[argument], begin * splitter->granule_items,
	                  part_items(splitter, begin, granules),
	                  splitter->question->arguments[argument].size_bytes, reads, writes);
}

/*
 * The bytes of a buffer that are sent to a part's device, or back. Access is as the caller says it:
 * what is said to be read goes there though the kernel only writes it, as it does with the whole
 * launch. All granules are the whole launch, with buffers as they are.
 */
static uint64_t part_bytes(const struct splitter *splitter, size_t device, size_t argument,
                           uint64_t begin, uint64_t granules, bool is_back)
{
	predictd_split_range reads, writes;
	uint64_t size = splitter->question->arguments[argument].size_bytes, end;
	if (splitter->parts[device] == NULL || granules >= splitter->granules)
		return size;
	part_ranges(splitter, splitter->parts[device]->arguments, argument, begin, granules, &reads,
	            &writes);
	if (is_back)
		return writes.bytes > 0 ? writes.bytes : reads.bytes;
	if (writes.bytes == 0 || reads.bytes == 0)
		return reads.bytes + writes.bytes;
	end = writes.offset_bytes + writes.bytes;
	if (end < reads.offset_bytes + reads.bytes)
		end = reads.offset_bytes + reads.bytes;
	return end - (writes.offset_bytes < reads.offset_bytes ? writes.offset_bytes
	                                                       : reads.offset_bytes);
}

static predictd_question part_question(const struct splitter *splitter,
                                       const struct split_part *part, enum asked asked,
                                       predictd_argument *arguments)
{
	predictd_question question = *splitter->question;
	uint32_t dimension = splitter->splitting->dimension;
	question.device = splitter->splitting->devices[part->device];
	question.global[dimension] = part_items(splitter, part->begin, part->granules);
	question.offset[dimension] += part->begin * splitter->granule_items;
	question.with_transfers = asked != ASKED_KERNEL;
	if (asked == ASKED_KERNEL)
		return question;
	memcpy(arguments, question.arguments, question.argument_count * sizeof *arguments);
	for (size_t i = 0; i < question.argument_count; i++) {
		if (arguments[i].kind != PREDICTD_BUFFER)
			continue;
		bool is_back = asked == ASKED_BACK || arguments[i].access == PREDICTD_WRITE;
		uint64_t bytes =
		        part_bytes(splitter, part->device, i, part->begin, part->granules, is_back);
		arguments[i].size_bytes = bytes > 0 || arguments[i].size_bytes == 0 ? bytes : 1;
	}
	question.arguments = arguments;
	return question;
}

/* A device's failure, with its name and the sentence that says it. */
static predictd_status device_fail(const struct splitter *splitter, size_t device,
                                   predictd_status status)
{
	char text[256];
	(void)snprintf(text, sizeof text, "%s", predictd_error_text());
	return error_keep(status, "device %s: %s", splitter->splitting->devices[device], text);
}

/* A failure of the daemon, not of a device. */
static bool is_daemons(predictd_status status)
{
	return status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT ||
	       status == PREDICTD_NO_MEMORY;
}

/* Asks, in one exchange, all that is not known of some parts. A device's failure is said later. */
static predictd_status parts_prepare(const struct splitter *splitter,
                                     const struct split_part *parts, size_t count)
{
	size_t each = splitter->asked;
	size_t arguments = splitter->question->argument_count;
	predictd_question *questions = calloc(each * count + 1, sizeof *questions);
	predictd_argument *room = calloc(each * count * arguments + 1, sizeof *room);
	if (questions == NULL || room == NULL) {
		free(questions);
		free(room);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", each * count);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < each; j++)
			questions[i * each + j] = part_question(splitter, &parts[i], (enum asked)j,
			                                        room + (i * each + j) * arguments);
	predictd_status status =
	        predictd_prepare(splitter->connection, questions, each * count, NULL);
	free(questions);
	free(room);
	/* to ask again would wait as long again */
	return is_daemons(status) ? status : PREDICTD_OK;
}

/* Whether a part is known, without asking; *status: it is known to be refused. */
static bool part_find(const struct splitter *splitter, const struct split_part *part,
                      enum asked asked, predictd_estimate *estimate, predictd_status *status)
{
	predictd_question question = part_question(splitter, part, asked, splitter->arguments);
	struct memo *memo = splitter->connection->memo;
	struct question_key key = memo_key(memo, &question);
	enum memo_found found = memo_find(memo, &key, estimate, status);
	if (found == MEMO_REFUSED)
		*status = device_fail(splitter, part->device, *status);
	return found == MEMO_FRESH || found == MEMO_REFUSED;
}

static predictd_status part_ask(const struct splitter *splitter, const struct split_part *part,
                                enum asked asked, predictd_estimate *estimate)
{
	predictd_question question = part_question(splitter, part, asked, splitter->arguments);
	predictd_status status = predictd_predict_into(splitter->connection, &question, estimate);
	return status == PREDICTD_OK ? status : device_fail(splitter, part->device, status);
}

/* All that is known of a part without asking; false: not all is, or *status says what is refused.
 */
static bool part_known(const struct splitter *splitter, const struct split_part *part,
                       struct part_times *times, predictd_status *status)
{
	predictd_estimate back;
	times->transfers = (predictd_estimate){0};
	if (!part_find(splitter, part, ASKED_KERNEL, &times->kernel, status))
		return false;
	if (splitter->asked > ASKED_TRANSFERS && *status == PREDICTD_OK &&
	    !part_find(splitter, part, ASKED_TRANSFERS, &times->transfers, status))
		return false;
	if (splitter->asked > ASKED_BACK && *status == PREDICTD_OK) {
		if (!part_find(splitter, part, ASKED_BACK, &back, status))
			return false;
		times->transfers.d2h_time_s = back.d2h_time_s;
	}
	return true;
}

/* What is known of parts, else asked for. */
static predictd_status parts_times(const struct splitter *splitter, const struct split_part *parts,
                                   size_t count, struct part_times *times)
{
	predictd_status status = PREDICTD_OK;
	for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
		if (part_known(splitter, &parts[i], &times[i], &status))
			continue;
		status = parts_prepare(splitter, parts + i, count - i);
		for (; i < count && status == PREDICTD_OK; i++) {
			predictd_estimate back;
			times[i].transfers = (predictd_estimate){0};
			status = part_ask(splitter, &parts[i], ASKED_KERNEL, &times[i].kernel);
			if (status == PREDICTD_OK && splitter->asked > ASKED_TRANSFERS)
				status = part_ask(splitter, &parts[i], ASKED_TRANSFERS,
				                  &times[i].transfers);
			if (status != PREDICTD_OK || splitter->asked <= ASKED_BACK)
				continue;
			status = part_ask(splitter, &parts[i], ASKED_BACK, &back);
			times[i].transfers.d2h_time_s = back.d2h_time_s;
		}
	}
	return status;
}

static double total_s(const struct part_times *times)
{
	return times->kernel.launch_time_s + times->kernel.kernel_time_s +
	       times->transfers.h2d_time_s + times->transfers.d2h_time_s;
}

static predictd_status solver_times(void *context, struct split_part *parts, size_t count)
{
	const struct splitter *splitter = context;
	predictd_status status = PREDICTD_OK;
	enum { CHUNK = 64 };
	struct part_times times[CHUNK];
	for (size_t from = 0; from < count && status == PREDICTD_OK; from += CHUNK) {
		size_t some = count - from < CHUNK ? count - from : CHUNK;
		status = parts_times(splitter, parts + from, some, times);
		for (size_t i = 0; i < some && status == PREDICTD_OK; i++)
			parts[from + i].time_s = fmax(total_s(&times[i]), 1e-12);
	}
	return status;
}

/* ---- what is split ------------------------------------------------------------------------- */

/* " (name)" of an argument, or "". */
static void argument_name(const predictd_question *question, size_t argument, char text[80])
{
	const predictd_program *program = question->program;
	text[0] = '\0';
	for (size_t i = 0; i < program->kernel_count; i++) {
		const predictd_kernel *kernel = &program->kernels[i];
		bool is_meant = question->kernel == NULL
		                        ? program->kernel_count == 1
		                        : strcmp(kernel->name, question->kernel) == 0;
		if (is_meant && argument < kernel->argument_count)
			(void)snprintf(text, 80, " (%.60s)", kernel->argument_names[argument]);
	}
}

static predictd_status devices_check(const predictd_splitting *splitting)
{
	size_t count = splitting->device_count;
	if (count < 1 || count > PREDICTD_SPLIT_DEVICES_MAX)
		return error_keep(PREDICTD_INVALID, "want 1 to %d devices, have %zu",
		                  PREDICTD_SPLIT_DEVICES_MAX, count);
	for (size_t i = 0; i < count; i++) {
		if (splitting->devices[i] == NULL || splitting->devices[i][0] == '\0')
			return error_keep(PREDICTD_INVALID, "device %zu of %zu has no name", i,
			                  count);
		for (size_t j = 0; j < i; j++)
			if (strcmp(splitting->devices[i], splitting->devices[j]) == 0)
				return error_keep(PREDICTD_INVALID, "device %s is there twice",
				                  splitting->devices[i]);
		for (size_t j = 0; j < count && splitting->slowdowns != NULL; j++) {
			double slowdown = splitting->slowdowns[i * count + j];
			if (i != j && !(slowdown >= 1 && isfinite(slowdown)))
				return error_keep(PREDICTD_INVALID,
				                  "slowdown of %s by %s: want 1 or more, have %g",
				                  splitting->devices[i], splitting->devices[j],
				                  slowdown);
		}
	}
	return PREDICTD_OK;
}

/* The buffers that the caller says are split. */
static predictd_status buffers_check(const predictd_splitting *splitting)
{
	const predictd_question *question = splitting->question;
	char name[80];
	for (size_t i = 0; i < splitting->buffer_count; i++) {
		size_t argument = splitting->buffers[i].argument;
		if (argument >= question->argument_count)
			return error_keep(PREDICTD_INVALID, "split: argument %zu of %zu", argument,
			                  question->argument_count);
		argument_name(question, argument, name);
		if (question->arguments[argument].kind != PREDICTD_BUFFER)
			return error_keep(PREDICTD_INVALID, "split: argument %zu%s is no buffer",
			                  argument, name);
		if (buffer_find(splitting, argument) != &splitting->buffers[i])
			return error_keep(PREDICTD_INVALID, "split: argument %zu%s is there twice",
			                  argument, name);
	}
	return PREDICTD_OK;
}

/* Whether transfers to a device and back are of other bytes, of a buffer that is sent both ways. */
static bool is_asymmetric(const predictd_argument *argument, const predictd_split_argument *said)
{
	const predictd_reach *reads = &said->reads, *writes = &said->writes;
	return argument->kind == PREDICTD_BUFFER &&
	       (argument->access == PREDICTD_READ_WRITE || argument->access == 0) &&
	       reads->kind != PREDICTD_REACH_NOTHING && writes->kind != PREDICTD_REACH_NOTHING &&
	       (reads->kind != writes->kind || reads->stride_bytes != writes->stride_bytes ||
	        reads->low_bytes != writes->low_bytes || reads->high_bytes != writes->high_bytes);
}

static predictd_question device_question(const predictd_splitting *splitting, size_t device)
{
	predictd_question question = *splitting->question;
	question.device = splitting->devices[device];
	return question;
}

static predictd_status device_parts(predictd_connection *connection,
                                    const predictd_splitting *splitting, size_t device,
                                    const struct split_parts **parts)
{
	predictd_question question = device_question(splitting, device);
	predictd_status status =
	        split_parts_find(connection, &question, splitting->dimension, parts);
	if (status == PREDICTD_OK && (*parts)->count != question.argument_count)
		status = error_keep(PREDICTD_INTERNAL, "predictd told of %zu arguments of %zu",
		                    (*parts)->count, question.argument_count);
	if (status == PREDICTD_OK && (*parts)->refusal[0] != '\0')
		status = error_keep(PREDICTD_UNSUPPORTED, "not to be split along dimension %u: %s",
		                    splitting->dimension, (*parts)->refusal);
	return status;
}

/* That parts have the results of the whole, by what the kernel does on every device. */
static predictd_status parts_begin(struct splitter *splitter)
{
	const predictd_question *question = splitter->question;
	const predictd_splitting *splitting = splitter->splitting;
	char name[80];
	splitter->asked = question->with_transfers ? ASKED_BACK : ASKED_TRANSFERS;
	for (size_t d = 0; d < splitting->device_count; d++) {
		predictd_status status =
		        device_parts(splitter->connection, splitting, d, &splitter->parts[d]);
		if (status != PREDICTD_OK)
			return is_daemons(status) ? status : device_fail(splitter, d, status);
		for (size_t i = 0; i < question->argument_count; i++) {
			const predictd_split_argument *said = &splitter->parts[d]->arguments[i];
			if (buffer_find(splitting, i) != NULL)
				continue;
			if (question->with_transfers &&
			    is_asymmetric(&question->arguments[i], said))
				splitter->asked = ASKED_COUNT;
			if (said->refusal[0] == '\0')
				continue;
			argument_name(question, i, name);
			return error_keep(PREDICTD_UNSUPPORTED,
			                  "argument %zu%s is not to be split along dimension %u: "
			                  "%s",
			                  i, name, splitting->dimension, said->refusal);
		}
	}
	return PREDICTD_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The least common multiple; 0: above 2^64. */
static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a / common_divisor(a, b), b, &product) ? 0 : product;
}

/*
 * The work-group's size along the dimension. Where runtimes choose it, what they choose for the
 * whole launch: a part that is no multiple of it may get a worse one.
 */
static predictd_status group_items(struct splitter *splitter, uint64_t *items)
{
	const predictd_splitting *splitting = splitter->splitting;
	uint64_t range = splitter->question->global[splitting->dimension];
	*items = splitter->question->local[splitting->dimension];
	if (*items != 0)
		return PREDICTD_OK;
	struct split_part whole[PREDICTD_SPLIT_DEVICES_MAX];
	struct part_times times[PREDICTD_SPLIT_DEVICES_MAX];
	for (size_t i = 0; i < splitting->device_count; i++)
		whole[i] = (struct split_part){.device = i, .granules = 1};
	splitter->granule_items = range;
	predictd_status status = parts_times(splitter, whole, splitting->device_count, times);
	*items = 1;
	for (size_t i = 0; i < splitting->device_count && status == PREDICTD_OK; i++) {
		uint64_t local = times[i].kernel.local[splitting->dimension];
		uint64_t both = common_multiple(*items, local > 0 ? local : 1);
		if (both > 0 && both <= range)
			*items = both;
	}
	return status;
}

static predictd_status granule_choose(struct splitter *splitter)
{
	const predictd_splitting *splitting = splitter->splitting;
	const predictd_question *question = splitter->question;
	uint64_t range = question->global[splitting->dimension], group, end;
	if (__builtin_add_overflow(question->offset[splitting->dimension], range, &end))
		return error_keep(PREDICTD_INVALID, "offset and work-items are 2^64 or more");
	if (splitting->granule_items > range)
		return error_keep(PREDICTD_INVALID,
		                  "a granule of %llu work-items is larger than the range of %llu",
		                  (unsigned long long)splitting->granule_items,
		                  (unsigned long long)range);
	predictd_status status = group_items(splitter, &group);
	if (status != PREDICTD_OK)
		return status;
	uint64_t asked = splitting->granule_items > 0 ? splitting->granule_items : 1;
	uint64_t granule = common_multiple(group, asked);
	if (granule == 0 || granule > range)
		return error_keep(PREDICTD_INVALID,
		                  "a granule of whole work-groups of %llu and of %llu work-items "
		                  "is larger than the range of %llu",
		                  (unsigned long long)group, (unsigned long long)asked,
		                  (unsigned long long)range);
	splitter->granule_items = granule;
	splitter->granules = range / granule + (range % granule != 0);
	for (size_t i = 0; i < splitting->buffer_count; i++) {
		const predictd_split_buffer *buffer = &splitting->buffers[i];
		uint64_t size = question->arguments[buffer->argument].size_bytes, last;
		if (buffer->granule_bytes == 0 ||
		    (!__builtin_mul_overflow(buffer->granule_bytes, splitter->granules - 1,
		                             &last) &&
		     last < size))
			continue;
		char name[80];
		argument_name(question, buffer->argument, name);
		return error_keep(PREDICTD_INVALID,
		                  "argument %zu%s has %llu bytes: too few for %llu granules of "
		                  "%llu",
		                  buffer->argument, name, (unsigned long long)size,
		                  (unsigned long long)splitter->granules,
		                  (unsigned long long)buffer->granule_bytes);
	}
	return PREDICTD_OK;
}

static predictd_status splitting_check(const predictd_splitting *splitting)
{
	const predictd_question *question = splitting->question;
	predictd_status status = question_check(question);
	if (status == PREDICTD_OK)
		status = devices_check(splitting);
	if (status != PREDICTD_OK)
		return status;
	if (question->program->sourceless_name != NULL)
		return error_keep(PREDICTD_UNSUPPORTED,
		                  "a kernel without source is not split: what its parts do is not "
		                  "known");
	if (splitting->dimension >= question->dimensions)
		return error_keep(PREDICTD_INVALID, "dimension %u of %u", splitting->dimension,
		                  question->dimensions);
	for (uint32_t i = 0; i < question->dimensions; i++)
		if (question->global[i] == 0)
			return error_keep(PREDICTD_INVALID, "dimension %u has no work-items", i);
	return buffers_check(splitting);
}

/* ---- contention ---------------------------------------------------------------------------- */

/*
 * What devices do to each other, by how each would divide its time for the whole launch. *slowdowns
 * stays NULL where nothing is known.
 */
static predictd_status slowdowns_find(const struct splitter *splitter,
                                      struct split_contention *contention, const double **slowdowns)
{
	size_t count = splitter->splitting->device_count;
	struct split_part whole[PREDICTD_SPLIT_DEVICES_MAX] = {0};
	struct part_times times[PREDICTD_SPLIT_DEVICES_MAX];
	struct load_mix mixes[PREDICTD_SPLIT_DEVICES_MAX];
	predictd_status status =
	        split_contention_ask(splitter->connection, splitter->splitting, contention);
	if (status != PREDICTD_OK || !contention->is_any_known)
		return status;
	for (size_t i = 0; i < count; i++)
		whole[i] = (struct split_part){.device = i, .granules = splitter->granules};
	status = parts_times(splitter, whole, count, times);
	if (status != PREDICTD_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		mixes[i] = load_mix_task(&times[i].kernel, times[i].transfers.h2d_time_s +
		                                                   times[i].transfers.d2h_time_s);
	split_contention_mix(contention, count, mixes);
	*slowdowns = contention->slowdowns;
	return PREDICTD_OK;
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* Why a device has no part. */
static predictd_split_reason left_out(const struct split_problem *problem,
                                      const struct split_solution *solution, size_t device,
                                      const struct part_times *granule)
{
	double one_s = solution->parts[device].granule_time_s;
	if (one_s >= solution->time_s)
		return 2 * (granule->transfers.h2d_time_s + granule->transfers.d2h_time_s) > one_s
		               ? PREDICTD_SPLIT_TRANSFERS
		               : PREDICTD_SPLIT_LAUNCH;
	return problem->slowdowns != NULL ? PREDICTD_SPLIT_SLOWDOWN : PREDICTD_SPLIT_GRANULE;
}

static void share_bytes(const struct splitter *splitter, size_t device, predictd_share *share,
                        uint64_t begin)
{
	const predictd_question *question = splitter->question;
	for (size_t i = 0; i < question->argument_count && question->with_transfers; i++) {
		const predictd_argument *argument = &question->arguments[i];
		if (argument->kind != PREDICTD_BUFFER)
			continue;
		if (argument->access & PREDICTD_READ)
			share->h2d_bytes +=
			        part_bytes(splitter, device, i, begin, share->granules, false);
		if (argument->access & PREDICTD_WRITE)
			share->d2h_bytes +=
			        part_bytes(splitter, device, i, begin, share->granules, true);
	}
}

/* Low and high of a part's time: the kernel's interval, and all else with it. */
static double bound_s(const struct part_times *times, double kernel_s)
{
	return total_s(times) - times->kernel.kernel_time_s + kernel_s;
}

static predictd_status shares_fill(const struct splitter *splitter,
                                   const struct split_problem *problem,
                                   const struct split_solution *solution, predictd_share *shares)
{
	for (size_t i = 0; i < problem->device_count; i++) {
		uint64_t granules = solution->parts[i].granules, begin = solution->parts[i].begin;
		/* its part, the whole launch, one granule: answered before */
		struct split_part parts[] = {{i, begin, granules > 0 ? granules : 1, 0},
		                             {i, 0, problem->granules, 0}};
		struct part_times times[2];
		predictd_status status = parts_times(splitter, parts, 2, times);
		if (status != PREDICTD_OK)
			return status;
		predictd_share *share = &shares[i];
		*share = (predictd_share){.granules = granules,
		                          .granule_time_s = solution->parts[i].granule_time_s,
		                          .alone_s = total_s(&times[1]),
		                          .alone_low_s = bound_s(&times[1], times[1].kernel.low_s),
		                          .alone_high_s =
		                                  bound_s(&times[1], times[1].kernel.high_s)};
		if (granules == 0) {
			share->reason = left_out(problem, solution, i, &times[0]);
			continue;
		}
		double factor = split_slowdown(problem, solution, i);
		share->begin = splitter->question->offset[splitter->splitting->dimension] +
		               begin * splitter->granule_items;
		share->items = part_items(splitter, begin, granules);
		share->time_s = factor * total_s(&times[0]);
		share->low_s = factor * bound_s(&times[0], times[0].kernel.low_s);
		share->high_s = factor * bound_s(&times[0], times[0].kernel.high_s);
		share->launch_time_s = times[0].kernel.launch_time_s;
		share->kernel_time_s = times[0].kernel.kernel_time_s;
		share->h2d_time_s = times[0].transfers.h2d_time_s;
		share->d2h_time_s = times[0].transfers.d2h_time_s;
		share_bytes(splitter, i, share, begin);
	}
	return PREDICTD_OK;
}

/* The latest end, with the parts' times at one end of their intervals. */
static double latest_s(const predictd_share *shares, size_t count, size_t own, bool own_is_high,
                       bool others_are_high)
{
	double time_s = 0;
	for (size_t i = 0; i < count; i++)
		time_s = fmax(time_s, (i == own ? own_is_high : others_are_high) ? shares[i].high_s
		                                                                 : shares[i].low_s);
	return time_s;
}

static void answer_fill(const struct splitter *splitter, const struct split_solution *solution,
                        bool has_slowdowns, predictd_share *shares, predictd_split_answer *answer)
{
	size_t count = splitter->splitting->device_count, used = 0, best = solution->best;
	double last_s = 0;
	for (size_t i = 0; i < count; i++) {
		used += shares[i].granules > 0;
		last_s = fmax(last_s, shares[i].time_s);
	}
	*answer = (predictd_split_answer){.granule_items = splitter->granule_items,
	                                  .granules = splitter->granules,
	                                  .time_s = last_s,
	                                  .low_s = latest_s(shares, count, count, false, false),
	                                  .high_s = latest_s(shares, count, count, true, true),
	                                  .best = best,
	                                  .gain = shares[best].alone_s / last_s,
	                                  .reason = PREDICTD_SPLIT_BALANCED,
	                                  .has_slowdowns = has_slowdowns};
	answer->gain_low = shares[best].alone_low_s / latest_s(shares, count, best, false, true);
	answer->gain_high = shares[best].alone_high_s / latest_s(shares, count, best, true, false);
	for (size_t i = 0; i < count; i++) {
		if (shares[i].granules == 0)
			continue;
		/* within a hundredth all end together */
		shares[i].reason = used == 1                          ? PREDICTD_SPLIT_ALONE
		                   : shares[i].time_s < 0.99 * last_s ? PREDICTD_SPLIT_GRANULE
		                                                      : PREDICTD_SPLIT_BALANCED;
		if (shares[i].reason != PREDICTD_SPLIT_BALANCED)
			answer->reason = shares[i].reason;
	}
	if (used > 1)
		return;
	answer->gain = answer->gain_low = answer->gain_high = 1;
	/* of those left out, the one that would do most */
	size_t next = count;
	for (size_t i = 0; i < count; i++)
		if (shares[i].granules == 0 &&
		    (next == count || shares[i].alone_s < shares[next].alone_s))
			next = i;
	if (next < count)
		answer->reason = shares[next].reason;
}

predictd_status predictd_split(predictd_connection *connection, const predictd_splitting *splitting,
                               predictd_share *shares, predictd_split_answer *answer)
{
	error_clear();
	predictd_status status = splitting_check(splitting);
	if (status != PREDICTD_OK)
		return status;
	struct splitter splitter = {.connection = connection,
	                            .splitting = splitting,
	                            .question = splitting->question,
	                            .granules = 1};
	struct split_solution solution;
	predictd_share filled[PREDICTD_SPLIT_DEVICES_MAX];
	splitter.arguments =
	        calloc(splitting->question->argument_count + 1, sizeof *splitter.arguments);
	if (splitter.arguments == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a split");
	status = parts_begin(&splitter);
	if (status == PREDICTD_OK)
		status = granule_choose(&splitter);
	const double *slowdowns = splitting->slowdowns;
	struct split_contention contention;
	contention.is_all_known = true;
	if (status == PREDICTD_OK && slowdowns == NULL && splitting->device_count > 1)
		status = slowdowns_find(&splitter, &contention, &slowdowns);
	struct split_problem problem = {.device_count = splitting->device_count,
	                                .granules = splitter.granules,
	                                .slowdowns = slowdowns,
	                                .times = solver_times,
	                                .context = &splitter};
	if (status == PREDICTD_OK)
		status = split_solve(&problem, &solution);
	if (status == PREDICTD_OK)
		status = shares_fill(&splitter, &problem, &solution, filled);
	if (status == PREDICTD_OK) {
		answer_fill(&splitter, &solution, contention.is_all_known, filled, answer);
		memcpy(shares, filled, splitting->device_count * sizeof *shares);
	}
	for (size_t i = 0; i < splitting->device_count; i++)
		split_parts_release(splitter.parts[i]);
	free(splitter.arguments);
	return status;
}

/* ---- for executors ------------------------------------------------------------------------- */

predictd_status predictd_split_arguments(predictd_connection *connection,
                                         const predictd_splitting *splitting, size_t device,
                                         predictd_split_argument *arguments)
{
	error_clear();
	const struct split_parts *parts = NULL;
	predictd_status status = splitting_check(splitting);
	if (status == PREDICTD_OK && device >= splitting->device_count)
		status = error_keep(PREDICTD_INVALID, "device %zu of %zu", device,
		                    splitting->device_count);
	if (status == PREDICTD_OK)
		status = device_parts(connection, splitting, device, &parts);
	if (status == PREDICTD_OK)
		memcpy(arguments, parts->arguments,
		       splitting->question->argument_count * sizeof *arguments);
	split_parts_release(parts);
	return status;
}

predictd_status predictd_split_bytes(const predictd_splitting *splitting,
                                     const predictd_split_answer *answer,
                                     const predictd_share *share,
                                     const predictd_split_argument *arguments, size_t argument,
                                     predictd_split_range *reads, predictd_split_range *writes)
{
	error_clear();
	const predictd_question *question = splitting->question;
	const struct splitter splitter = {.splitting = splitting,
	                                  .question = question,
	                                  .granule_items = answer->granule_items,
	                                  .granules = answer->granules};
	if (argument >= question->argument_count ||
	    question->arguments[argument].kind != PREDICTD_BUFFER)
		return error_keep(PREDICTD_INVALID, "split: argument %zu is no buffer", argument);
	uint64_t offset = question->offset[splitting->dimension];
	uint64_t range = question->global[splitting->dimension], begin;
	*reads = *writes = (predictd_split_range){0};
	if (share->granules == 0)
		return PREDICTD_OK;
	begin = share->begin - offset;
	if (answer->granule_items == 0 || share->begin < offset || begin >= range ||
	    begin % answer->granule_items != 0 || share->items > range - begin)
		return error_keep(PREDICTD_INVALID, "the share is not of that splitting");
	part_ranges(&splitter, arguments, argument, begin / answer->granule_items, share->granules,
	            reads, writes);
	return PREDICTD_OK;
}
