/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyser's reply, unpacked and decoded within a bound of memory.
 *
 * An empty submessage takes two bytes of the frame and some hundred once it is
 * unpacked, and a sealed block more than half a kilobyte; a child that was
 * taken over could so turn one frame into gigabytes. Unpacking therefore draws
 * on an arena of limited size, and the kernels of one reply share the bounds
 * of a few.
 */
#include "daemon/codec/ir_codec.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/codec/arena.h"
#include "model/frontend/frontend.h"
#include "model/passes/passes.h"
#include "proto/text.h"

enum {
	UNPACKED_BYTES_MAX = 96 << 20,
	REPLY_KERNELS_MIB = 32, /* sealed, all together */
	/* of all kernels of a reply together */
	REPLY_NODES_MAX = 4 * IR_NODES_MAX,
	REPLY_STATEMENTS_MAX = 2 * IR_STATEMENTS_MAX,
	REPLY_BLOCKS_MAX = 2 * IR_BLOCKS_MAX
};

/* What sealing adds: counts of a block are larger than all else of it. */
static size_t summary_bytes(const struct ir_kernel *kernel)
{
	const struct ir_summary *summary = kernel->summary;
	if (summary == NULL)
		return 0;
	size_t of_node = sizeof *summary->node_block + sizeof *summary->node_is_address +
	                 sizeof *summary->node_is_integer_known + sizeof *summary->node_is_uniform +
	                 sizeof *summary->node_is_fused;
	size_t of_block = sizeof *summary->emitted + sizeof *summary->rolled +
	                  sizeof *summary->fused + sizeof *summary->block_depth +
	                  sizeof *summary->loop_depth + sizeof *summary->block_obstacle +
	                  sizeof *summary->block_region;
	return sizeof *summary + kernel->node_count * of_node +
	       kernel->access_count * sizeof *summary->access_block +
	       kernel->block_count * of_block + summary->loop_count * sizeof *summary->loops;
}

size_t ir_kernel_bytes(const struct ir_kernel *kernel)
{
	return sizeof *kernel + kernel->argument_count * sizeof *kernel->arguments +
	       kernel->object_count * sizeof *kernel->objects +
	       kernel->node_count * sizeof *kernel->nodes +
	       kernel->operand_count * sizeof *kernel->operands +
	       kernel->access_count * sizeof *kernel->accesses +
	       kernel->statement_count * sizeof *kernel->statements +
	       kernel->variable_count * sizeof *kernel->variables +
	       kernel->block_count * sizeof *kernel->blocks +
	       kernel->written_count * sizeof *kernel->written + summary_bytes(kernel);
}

static enum status reply_check(const Predictd__AnalyserReply *reply, struct error *error)
{
	if (reply->error != NULL) {
		struct error carried;
		(void)error_set(&carried, STATUS_INTERNAL, "%s", reply->error->text);
		text_clean(carried.text);
		enum status status = status_from_number(reply->error->status);
		return error_set(error, status == STATUS_OK ? STATUS_CORRUPT : status, "%s",
		                 carried.text);
	}
	if (reply->n_kernels > FRONTEND_KERNELS_MAX)
		return error_set(error, STATUS_LIMIT, "kernels: want at most %d, have %zu",
		                 FRONTEND_KERNELS_MAX, reply->n_kernels);
	size_t nodes = 0, statements = 0, blocks = 0;
	for (size_t i = 0; i < reply->n_kernels; i++) {
		nodes += reply->kernels[i]->n_node_op;
		statements += reply->kernels[i]->n_statements;
		blocks += reply->kernels[i]->n_blocks;
	}
	if (nodes > REPLY_NODES_MAX || statements > REPLY_STATEMENTS_MAX ||
	    blocks > REPLY_BLOCKS_MAX)
		return error_set(error, STATUS_LIMIT,
		                 "program: %zu values, %zu statements and %zu blocks in all, want "
		                 "at most %d, %d and %d",
		                 nodes, statements, blocks, REPLY_NODES_MAX, REPLY_STATEMENTS_MAX,
		                 REPLY_BLOCKS_MAX);
	return STATUS_OK;
}

_Static_assert((int)REPORT_NOTE_MAX >= (int)FRONTEND_NOTE_MAX &&
                       (int)REPORT_LANGUAGE_MAX >= (int)FRONTEND_LANGUAGE_MAX &&
                       (int)REPORT_HEADER_MAX >= (int)FRONTEND_NAME_MAX &&
                       (int)REPORT_UNDEFINED_MAX >= (int)FRONTEND_UNDEFINED_MAX &&
                       (int)REPORT_LEFT_OUT_MAX >= (int)FRONTEND_LEFT_OUT_MAX,
               "a report has room for what the front-end tells");

/* Cut where it does not fit, and safe to print. */
static void text_copy(const char *from, char *to, size_t room)
{
	size_t length = strnlen(from, room - 1);
	memcpy(to, from, length);
	to[length] = '\0';
	text_clean(to);
}

static void report_fill(const Predictd__AnalyserReply *reply, struct analysis_report *report)
{
	text_copy(reply->note, report->note, sizeof report->note);
	text_copy(reply->language, report->language, sizeof report->language);
	text_copy(reply->undefined, report->undefined, sizeof report->undefined);
	text_copy(reply->left_out, report->left_out, sizeof report->left_out);
	text_copy(reply->header, report->header, sizeof report->header);
	text_copy(reply->header_from, report->header_from, sizeof report->header_from);
}

/* In its place one with its arguments alone, which falls back: that much a program has room for. */
static enum status kernel_refuse(struct ir_kernel **kernel, struct error *error)
{
	const struct ir_kernel *from = *kernel;
	struct ir_kernel *to = kernel_new(from->name);
	if (to == NULL)
		return error_set(error, STATUS_NO_MEMORY, "analyser: no memory for kernels");
	to->line = from->line;
	to->build = from->build;
	memcpy(to->required_local, from->required_local, sizeof to->required_local);
	for (uint32_t i = 0; i < from->argument_count; i++)
		(void)kernel_add_argument(to, &from->arguments[i]);
	/* those of arguments come first */
	for (uint32_t i = 0; i < from->object_count && from->objects[i].argument != IR_NONE; i++)
		(void)kernel_add_object(to, &from->objects[i]);
	kernel_unsupported(to,
	                   "line %u: the kernels before it are all that one program may be; put it "
	                   "into another",
	                   from->line);
	enum status status = kernel_seal(to, error);
	if (status != STATUS_OK) {
		kernel_free(to);
		return status;
	}
	kernel_free(*kernel);
	*kernel = to; /* the caller's */
	return STATUS_OK;
}

enum status ir_decode_reply(const uint8_t *bytes, size_t size, struct ir_kernel ***kernels,
                            size_t *count, struct analysis_report *report, struct error *error)
{
	struct arena arena;
	arena_init(&arena, UNPACKED_BYTES_MAX);
	ProtobufCAllocator allocator = arena_allocator(&arena);
	struct ir_kernel **decoded = NULL;
	size_t done = 0, kernels_bytes = 0;
	enum status status;

	Predictd__AnalyserReply *reply = predictd__analyser_reply__unpack(&allocator, size, bytes);
	if (reply == NULL) {
		status = error_set(error, STATUS_CORRUPT,
		                   "analyser: %zu bytes that are no reply, or too large a one",
		                   size);
		goto out;
	}
	if (report != NULL)
		report_fill(reply, report);
	status = reply_check(reply, error);
	if (status != STATUS_OK)
		goto out;
	decoded = calloc(reply->n_kernels + 1, sizeof *decoded); /* never of size zero */
	if (decoded == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "analyser: no memory for kernels");
		goto out;
	}
	for (; done < reply->n_kernels; done++) {
		status = ir_decode(reply->kernels[done], &decoded[done], error);
		if (status != STATUS_OK)
			goto out;
		size_t room = ((size_t)REPLY_KERNELS_MIB << 20) - kernels_bytes;
		if (ir_kernel_bytes(decoded[done]) > room)
			status = kernel_refuse(&decoded[done], error);
		if (status == STATUS_OK && ir_kernel_bytes(decoded[done]) > room)
			status = error_set(error, STATUS_LIMIT,
			                   "program: its kernels take more than %d MiB together, "
			                   "kernel \"%.64s\" the last: register them as several "
			                   "programs, or make them smaller",
			                   REPLY_KERNELS_MIB, decoded[done]->name);
		if (status != STATUS_OK) {
			done++; /* freed with the others */
			goto out;
		}
		kernels_bytes += ir_kernel_bytes(decoded[done]);
	}
	*kernels = decoded;
	*count = done;
	decoded = NULL; /* the caller's now */
out:
	if (decoded != NULL)
		for (size_t i = 0; i < done; i++)
			kernel_free(decoded[i]);
	free(decoded);
	arena_deinit(&arena);
	return status;
}
