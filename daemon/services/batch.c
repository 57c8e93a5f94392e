/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of one source on their way through the analyser. */
#include "daemon/services/batch.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct batch {
	struct daemon *daemon;
	uid_t user;
	Predictd__Program *program; /* without options; the batch's */
	struct registration *queued;
	size_t queued_count;
	size_t members;                /* registrations that are its */
	size_t unknown;                /* of them: looked for elsewhere */
	size_t children, frames_bytes; /* ordered, and what they are told */
	size_t children_max, chunk_max;
	size_t program_bytes;
	struct user_share share;
	bool is_open, is_pumping;
};

/* What one child analyses, in order. */
struct chunk {
	struct batch *batch;
	struct analysis_job *job;
	size_t frame_bytes;
	size_t count, next;
	struct registration *members[]; /* NULL: told of */
};

struct batch *batch_new(struct session *session, const Predictd__Program *program, size_t variants)
{
	struct daemon *daemon = session->daemon;
	size_t processors = uv_available_parallelism();
	size_t size = predictd__program__get_packed_size(program);
	uint8_t *packed = malloc(size + 1);
	struct batch *batch = calloc(1, sizeof *batch);
	if (packed == NULL || batch == NULL)
		goto failed;
	(void)predictd__program__pack(program, packed);
	batch->program = predictd__program__unpack(NULL, size, packed);
	if (batch->program == NULL)
		goto failed;
	free(packed);
	batch->daemon = daemon;
	batch->user = session->user;
	batch->program_bytes = size;
	batch->is_open = true;
	batch->children_max = 2 * processors;
	/* every processor has some of them */
	batch->chunk_max = (variants + batch->children_max - 1) / batch->children_max;
	if (batch->chunk_max > analysis_variants_max(&daemon->analysis))
		batch->chunk_max = analysis_variants_max(&daemon->analysis);
	return batch;
failed:
	free(packed);
	free(batch);
	return NULL;
}

static void end(struct batch *batch)
{
	if (batch->is_open || batch->is_pumping || batch->members > 0 || batch->children > 0)
		return;
	(void)user_hold(&batch->daemon->users, NULL, &batch->share, 0);
	predictd__program__free_unpacked(batch->program, NULL);
	free(batch);
}

/* Counts what it holds for its user; false beyond his share. */
static bool count(struct batch *batch)
{
	struct users *users = &batch->daemon->users;
	struct user *user = user_get(users, batch->user, uv_hrtime());
	return user != NULL &&
	       user_hold(users, user, &batch->share, batch->program_bytes + batch->frames_bytes);
}

enum status batch_enter(struct batch *batch, struct registration *registration,
                        const Predictd__Program *program, struct error *error)
{
	registration->options = strdup(program->options);
	if (registration->options == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	registration->batch = batch;
	batch->members++;
	batch->unknown++;
	registration->is_sought = true;
	if (!count(batch))
		return error_set(error, STATUS_LIMIT,
		                 "sources of this user: no memory for more at once");
	return STATUS_OK;
}

static void queue_remove(struct registration *registration)
{
	DL_DELETE(registration->batch->queued, registration);
	registration->batch->queued_count--;
	registration->is_queued = false;
}

void batch_leave(struct registration *registration)
{
	struct batch *batch = registration->batch;
	if (batch == NULL)
		return;
	if (registration->is_queued)
		queue_remove(registration);
	free(registration->options);
	registration->options = NULL;
	registration->batch = NULL;
	batch->members--;
	batch->unknown -= registration->is_sought;
	registration->is_sought = false;
	batch_pump(batch); /* the others may have waited for what comes of it */
}

void batch_queue(struct registration *registration)
{
	if (registration->is_urgent)
		DL_PREPEND(registration->batch->queued, registration);
	else
		DL_APPEND(registration->batch->queued, registration);
	registration->batch->queued_count++;
	registration->is_queued = true;
	registration->batch->unknown--;
	registration->is_sought = false;
}

/* ---- children ------------------------------------------------------------------------------ */

/* The first that are queued, of one language; NULL: no memory. */
static struct chunk *chunk_take(struct batch *batch)
{
	struct chunk *chunk =
	        calloc(1, sizeof *chunk + batch->chunk_max * sizeof(struct registration *));
	if (chunk == NULL)
		return NULL;
	chunk->batch = batch;
	uint64_t language = batch->queued->language;
	bool is_alone = batch->queued->is_alone;
	while (batch->queued != NULL && chunk->count < (is_alone ? 1 : batch->chunk_max) &&
	       batch->queued->language == language && batch->queued->is_alone == is_alone) {
		struct registration *member = batch->queued;
		queue_remove(member);
		member->chunk = chunk;
		chunk->members[chunk->count++] = member;
	}
	return chunk;
}

/* Those of which nothing is known yet are the first that are queued again. */
static void chunk_return(struct chunk *chunk)
{
	struct batch *batch = chunk->batch;
	for (size_t i = chunk->count; i-- > chunk->next;) {
		struct registration *member = chunk->members[i];
		member->chunk = NULL;
		member->is_queued = true;
		DL_PREPEND(batch->queued, member);
		batch->queued_count++;
	}
	chunk->count = chunk->next;
}

static void chunk_fail(struct chunk *chunk, const struct error *error)
{
	while (chunk->next < chunk->count) {
		struct registration *member = chunk->members[chunk->next++];
		member->chunk = NULL;
		registration_fail(member, error);
	}
}

/* The child is done, or was not ordered. */
static void chunk_end(struct chunk *chunk)
{
	struct batch *batch = chunk->batch;
	batch->children--;
	batch->frames_bytes -= chunk->frame_bytes;
	(void)count(batch);
	free(chunk);
}

static void on_analysed(void *data, struct analysis_result *result)
{
	struct chunk *chunk = data;
	struct batch *batch = chunk->batch;
	bool has_ended = chunk->next + 1 == chunk->count || !result->is_analysers;
	if (!result->is_analysers && result->status != STATUS_UNAVAILABLE && chunk->count > 1) {
		uint64_t now_ns = uv_hrtime();
		struct user *user = user_get(&batch->daemon->users, batch->user, now_ns);
		if (user != NULL)
			user_count(user, USE_ANALYSES, now_ns, result->run_ns);
		chunk->members[chunk->next]->is_alone = true;
		chunk_return(chunk);
	} else {
		struct error error = result->error;
		struct registration *member = chunk->members[chunk->next++];
		member->chunk = NULL;
		error.status = result->status;
		registration_analysed(member, result);
		if (has_ended)
			chunk_fail(chunk, &error);
	}
	if (!has_ended)
		return;
	chunk_end(chunk);
	batch_pump(batch);
}

static enum status chunk_order(struct chunk *chunk, struct error *error)
{
	struct batch *batch = chunk->batch;
	const struct registration *first = chunk->members[0];
	Predictd__AnalyserRequest request = PREDICTD__ANALYSER_REQUEST__INIT;
	char **options = calloc(chunk->count, sizeof *options);
	char *none = batch->program->options;
	uint8_t *frame = NULL;
	enum status status =
	        registration_profile(batch->daemon, first->language, &request.language, error);
	if (status != STATUS_OK || options == NULL)
		goto out;
	request.program = batch->program;
	for (size_t i = 0; i < chunk->count; i++)
		options[i] = chunk->members[i]->options;
	if (chunk->count == 1) {
		request.program->options = options[0];
	} else {
		request.variants = options;
		request.n_variants = chunk->count;
	}
	if (!frame_pack(&request.base, &frame, &chunk->frame_bytes))
		chunk->frame_bytes = 0;
	request.program->options = none;
	if (frame == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "program: no memory");
		goto out;
	}
	batch->frames_bytes += chunk->frame_bytes;
	if (!count(batch)) {
		free(frame);
		status = error_set(error, STATUS_BUSY,
		                   "sources of this user: no memory for more at once");
		goto out;
	}
	status = analysis_submit(&batch->daemon->analysis, frame, chunk->frame_bytes, chunk->count,
	                         first->is_urgent ? first->user : batch->user, on_analysed, chunk,
	                         &chunk->job, error);
out:
	if (options == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "program: no memory");
	free(options);
	return status;
}

/* Orders a child, or waits for one that is ordered; false when it waits. */
static bool order(struct batch *batch)
{
	struct error error;
	struct chunk *chunk = chunk_take(batch);
	if (chunk == NULL) {
		error_set(&error, STATUS_NO_MEMORY, "program: no memory");
		registration_fail(batch->queued, &error);
		return true;
	}
	batch->children++;
	error.status = chunk_order(chunk, &error);
	if (error.status == STATUS_OK)
		return true;
	/* who cannot have it now waits for it as the first user's */
	struct registration *first = chunk->members[0];
	bool was_urgent = error.status == STATUS_BUSY && first->is_urgent;
	if (was_urgent) {
		first->user = batch->user;
		first->is_urgent = first->is_alone = false;
	}
	bool waits = error.status == STATUS_BUSY && batch->children > 1 && !was_urgent;
	if (waits || was_urgent)
		chunk_return(chunk);
	chunk_fail(chunk, &error);
	chunk_end(chunk);
	return !waits;
}

/* While more come, no child is ordered that could have more of them. */
static bool may_order(const struct batch *batch)
{
	const struct registration *first = batch->queued;
	bool is_whole = (!batch->is_open && batch->unknown == 0) || first->is_alone ||
	                batch->queued_count >= batch->chunk_max;
	return first->is_urgent || (is_whole && batch->children < batch->children_max);
}

void batch_pump(struct batch *batch)
{
	if (batch->is_pumping)
		return;
	batch->is_pumping = true;
	while (batch->queued != NULL && may_order(batch))
		if (!order(batch))
			break;
	batch->is_pumping = false;
	end(batch);
}

void batch_close(struct batch *batch)
{
	batch->is_open = false;
	batch_pump(batch);
}

void batch_withdraw(struct registration *registration)
{
	struct chunk *chunk = registration->chunk;
	struct batch *batch = registration->batch;
	if (registration->is_queued) {
		registration_fail(registration, NULL);
		return;
	}
	for (size_t i = chunk != NULL ? chunk->next : 0; chunk != NULL && i < chunk->count; i++)
		if (chunk->members[i]->waits != NULL)
			return;
	if (chunk == NULL || !analysis_withdraw(&batch->daemon->analysis, chunk->job))
		return;
	chunk_fail(chunk, NULL);
	chunk_end(chunk);
	batch_pump(batch);
}

void batch_hasten(struct registration *registration, uid_t user)
{
	struct batch *batch = registration->batch;
	if (registration->chunk != NULL) {
		analysis_hasten(&batch->daemon->analysis, registration->chunk->job, user);
		return;
	}
	registration->user = user;
	registration->is_urgent = registration->is_alone = true;
	if (!registration->is_queued)
		return; /* it is looked up */
	DL_DELETE(batch->queued, registration);
	DL_PREPEND(batch->queued, registration);
	batch_pump(batch);
}
