/* SPDX-License-Identifier: Apache-2.0 */
/* Analysed programs in the store. */
#include "daemon/state/program_persistence.h"

#include "daemon/codec/ir_codec.h"
#include "daemon/daemon.h"
#include "daemon/libexec.h"
#include "daemon/log.h"

#include <limits.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert((int)PROGRAM_KEY_BYTES == (int)STORE_KEY_BYTES, "the same key");
_Static_assert((int)PROGRAM_VERSION_TEXT == (int)SHA256_DIGEST_STRING_LENGTH, "a SHA-256");

enum {
	SAVE_AFTER_MS = 500,
	SAVE_COUNT_MAX = 256,        /* in one transaction */
	SAVE_BYTES_MAX = 16 << 20,   /* on their way; more are not kept */
	LOOKUP_BYTES_MAX = 32 << 20, /* of sources that wait; more are analysed at once */
	USE_AGAIN_S = 24 * 60 * 60   /* a use is noted once a day */
};

struct program_saving {
	struct store_job job;
	struct program_persistence *persistence;
	size_t count, bytes;
	struct stored_program programs[SAVE_COUNT_MAX];
	/* of the configuration */
	size_t count_max, bytes_max;
	struct error error;
};

static void saving_free(struct program_saving *saving)
{
	for (size_t i = 0; i < saving->count; i++)
		free(saving->programs[i].reply);
	free(saving);
}

/* The store is open, or will be before a job that is given to it now. */
static bool can_keep(const struct program_persistence *persistence)
{
	return persistence->daemon->persistence.is_open ||
	       persistence->daemon->persistence.is_opening;
}

/* ---- what the store has -------------------------------------------------------------------- */

struct listing {
	struct store_job job;
	struct program_persistence *persistence;
	char analyser[PATH_MAX]; /* its program; empty: there is none */
	struct error error;
};

static uint32_t mark_of(const uint8_t key[PROGRAM_KEY_BYTES])
{
	return ((uint32_t)key[0] | (uint32_t)key[1] << 8 | (uint32_t)key[2] << 16) %
	       PROGRAM_MARK_BITS;
}

static void mark(void *data, const uint8_t key[PROGRAM_KEY_BYTES])
{
	struct program_persistence *persistence = data;
	uint32_t bit = mark_of(key);
	persistence->marks[bit / 8] |= (uint8_t)(1 << bit % 8);
}

static bool is_marked(const struct program_persistence *persistence, const struct program_key *key)
{
	uint32_t bit = mark_of(key->bytes);
	return (persistence->marks[bit / 8] >> bit % 8 & 1) != 0;
}

static void on_list(struct store_job *job, struct store **store)
{
	struct listing *listing = (struct listing *)job; /* its first member */
	struct program_persistence *persistence = listing->persistence;
	if (*store == NULL || listing->analyser[0] == '\0' ||
	    SHA256File(listing->analyser, persistence->version) == NULL)
		return;
	(void)store_list_programs(*store, persistence->version, mark, persistence, &listing->error);
}

static void log_problem(const struct error *error)
{
	if (error->status != STATUS_OK)
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error->text));
}

static void on_listed(struct store_job *job)
{
	struct listing *listing = (struct listing *)job;
	/* else the store could not be opened: it is listed when it can be */
	listing->persistence->is_listed = listing->persistence->version[0] != '\0';
	log_problem(&listing->error);
	free(listing);
}

void program_persistence_open(struct program_persistence *persistence)
{
	struct daemon *daemon = persistence->daemon;
	struct error error;
	struct listing *listing = persistence->is_listed ? NULL : calloc(1, sizeof *listing);
	if (listing == NULL)
		return;
	listing->persistence = persistence;
	listing->job = (struct store_job){.run = on_list, .done = on_listed};
	if (libexec_find(daemon->analysis.process.libexec, "predictd-analyser", listing->analyser,
	                 sizeof listing->analyser, &error) != STATUS_OK)
		listing->analyser[0] = '\0';
	store_worker_add(&daemon->persistence.worker, &listing->job);
}

/* ---- looking up ---------------------------------------------------------------------------- */

static void on_look(struct store_job *job, struct store **store)
{
	struct program_lookup *lookup = (struct program_lookup *)job; /* its first member */
	struct program_persistence *persistence = lookup->persistence;
	struct program_content *content = &lookup->content;
	struct stored_program found;
	struct error error;
	if (*store == NULL || persistence->version[0] == '\0' ||
	    store_load_program(*store, persistence->version, lookup->key.bytes, &found, &error) !=
	            STATUS_OK)
		return;
	*content = (struct program_content){.packed = found.reply,
	                                    .packed_bytes = found.reply_bytes,
	                                    .analysis_time_s = found.analysis_time_s};
	lookup->used_at_s = found.used_at_s;
	/* one that cannot be decoded is analysed again, and saved in its place */
	struct analysis_report report;
	if (ir_decode_reply(content->packed, content->packed_bytes, &content->kernels,
	                    &content->kernel_count, &report, &error) != STATUS_OK) {
		program_content_deinit(content);
		return;
	}
	program_content_tell(content, &report);
}

static void on_looked(struct store_job *job)
{
	struct program_lookup *lookup = (struct program_lookup *)job;
	lookup->persistence->looked_up_bytes -= lookup->waiting_bytes;
	lookup->done(lookup);
}

bool program_persistence_find(struct program_persistence *persistence,
                              struct program_lookup *lookup, const struct program_key *key,
                              uid_t user, size_t waiting_bytes,
                              void (*done)(struct program_lookup *lookup))
{
	struct daemon *daemon = persistence->daemon;
	/* before the list is there, the store may have anything; it is asked in order */
	if (persistence->is_stopping || !can_keep(persistence) ||
	    (persistence->is_listed && !is_marked(persistence, key)) ||
	    persistence->looked_up_bytes + waiting_bytes > LOOKUP_BYTES_MAX)
		return false;
	*lookup = (struct program_lookup){
	        .job = {.run = on_look, .done = on_looked},
	        .persistence = persistence,
	        .key = *key,
	        .waiting_bytes = waiting_bytes,
	        .done = done,
	};
	persistence->looked_up_bytes += waiting_bytes;
	store_worker_add_for(&daemon->persistence.worker, &lookup->job, user);
	return true;
}

/* ---- saving -------------------------------------------------------------------------------- */

static void on_save(struct store_job *job, struct store **store)
{
	struct program_saving *saving = (struct program_saving *)job; /* its first member */
	const char *version = saving->persistence->version;
	if (*store != NULL && version[0] != '\0')
		(void)store_save_programs(*store, version, saving->programs, saving->count,
		                          saving->count_max, saving->bytes_max, &saving->error);
}

static void on_saved(struct store_job *job)
{
	struct program_saving *saving = (struct program_saving *)job;
	struct program_persistence *persistence = saving->persistence;
	persistence->saved_bytes -= saving->bytes;
	log_problem(&saving->error);
	for (size_t i = 0; i < saving->count && saving->error.status == STATUS_OK; i++)
		mark(persistence, saving->programs[i].key);
	saving_free(saving);
}

/* Gives what was collected to the store. */
static void flush(struct program_persistence *persistence)
{
	struct daemon *daemon = persistence->daemon;
	struct program_saving *saving = persistence->collected;
	if (saving == NULL)
		return;
	persistence->collected = NULL; /* the store's */
	saving->job = (struct store_job){.run = on_save, .done = on_saved};
	saving->count_max = daemon->config.programs;
	saving->bytes_max = daemon->config.program_bytes;
	store_worker_add(&daemon->persistence.worker, &saving->job);
}

static void on_timer(uv_timer_t *timer)
{
	flush(timer->data);
}

void program_persistence_save(struct program_persistence *persistence,
                              const struct program_key *key, const uint8_t *reply,
                              size_t reply_bytes, double analysis_time_s)
{
	if (persistence->is_stopping || !can_keep(persistence) ||
	    reply_bytes > SAVE_BYTES_MAX - persistence->saved_bytes)
		return;
	if (persistence->collected == NULL) {
		persistence->collected = calloc(1, sizeof *persistence->collected);
		if (persistence->collected == NULL)
			return;
		persistence->collected->persistence = persistence;
		(void)uv_timer_start(&persistence->timer, on_timer, SAVE_AFTER_MS, 0);
	}
	struct program_saving *saving = persistence->collected;
	struct stored_program *program = &saving->programs[saving->count];
	*program = (struct stored_program){.reply = malloc(reply_bytes),
	                                   .reply_bytes = reply_bytes,
	                                   .analysis_time_s = analysis_time_s,
	                                   .used_at_s = (int64_t)time(NULL)};
	if (program->reply == NULL)
		return;
	memcpy(program->key, key->bytes, sizeof program->key);
	memcpy(program->reply, reply, reply_bytes);
	saving->count++;
	saving->bytes += reply_bytes;
	persistence->saved_bytes += reply_bytes;
	if (saving->count == SAVE_COUNT_MAX)
		flush(persistence);
}

void program_persistence_use(struct program_persistence *persistence, struct program *program)
{
	int64_t now_s = (int64_t)time(NULL);
	if (program->packed == NULL || now_s - program->kept_at_s < USE_AGAIN_S)
		return;
	program->kept_at_s = now_s;
	program_persistence_save(persistence, &program->key, program->packed, program->packed_bytes,
	                         program->analysis_time_s);
}

/* ---- its life ------------------------------------------------------------------------------ */

void program_persistence_init(struct program_persistence *persistence, struct daemon *daemon)
{
	persistence->daemon = daemon;
	(void)uv_timer_init(&daemon->loop, &persistence->timer);
	persistence->timer.data = persistence;
}

void program_persistence_stop(struct program_persistence *persistence)
{
	flush(persistence);
	persistence->is_stopping = true;
	if (!uv_is_closing((uv_handle_t *)&persistence->timer))
		uv_close((uv_handle_t *)&persistence->timer, NULL);
}
