/* SPDX-License-Identifier: Apache-2.0 */
/* Samples in the store: changes collected on the loop, written by the store's thread. */
#include "daemon/state/sample_persistence.h"

#include "daemon/codec/sample_codec.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)SAMPLE_NAME_BYTES == (int)STORE_SAMPLE_NAME_BYTES, "the same name");

enum {
	SAVE_AFTER_MS = 2000, /* a sample that others displace meanwhile is never written */
	RETRY_MS = 30000,
	BATCH = 64 /* in one transaction: 4 MiB of bytes */
};

/* What the store is to have of one owner. */
struct sample_change {
	struct sample_owner owner;
	const struct sample *sample; /* held; NULL: nothing */
	int64_t used_at_s;
	UT_hash_handle hh;
};

struct sample_saving {
	struct store_job job;
	struct sample_persistence *persistence;
	struct save_wait *waits;
	bool clears;
	struct sample_change *changes;
	struct error error; /* of the worker thread while it runs */
};

static void flush(struct sample_persistence *persistence);

/* ---- changes ------------------------------------------------------------------------------- */

static void change_free(struct sample_change **changes, struct sample_change *change)
{
	HASH_DEL(*changes, change);
	sample_release(change->sample);
	free(change);
}

static void changes_free(struct sample_change **changes)
{
	struct sample_change *change, *next;
	HASH_ITER(hh, *changes, change, next)
	{
		change_free(changes, change);
	}
}

static struct sample_change *change_find(struct sample_change *changes,
                                         const struct sample_owner *owner)
{
	struct sample_change *change;
	HASH_FIND(hh, changes, owner, sizeof *owner, change);
	return change;
}

/* The owner's change, to be filled; NULL: no memory. */
static struct sample_change *change_get(struct sample_persistence *persistence,
                                        const struct sample_owner *owner)
{
	struct sample_change *change = change_find(persistence->changes, owner);
	if (change != NULL)
		return change;
	change = calloc(1, sizeof *change);
	if (change == NULL)
		return NULL;
	change->owner = *owner;
	HASH_ADD(hh, persistence->changes, owner, sizeof change->owner, change);
	if (change->hh.tbl == NULL) {
		free(change);
		return NULL;
	}
	return change;
}

static void on_timer(uv_timer_t *timer)
{
	flush(timer->data);
}

static void expect(struct sample_persistence *persistence, uint64_t after_ms)
{
	if (!persistence->is_stopping && !uv_is_active((uv_handle_t *)&persistence->timer))
		(void)uv_timer_start(&persistence->timer, on_timer, after_ms, 0);
}

/* One that cannot be noted for want of memory is not saved: it is sent again after a restart. */
static void on_kept(void *data, struct kept_sample *kept)
{
	struct sample_persistence *persistence = data;
	if (!persistence->keeps)
		return;
	bool was_noted = change_find(persistence->changes, &kept->owner) != NULL;
	struct sample_change *change = change_get(persistence, &kept->owner);
	if (change == NULL)
		return;
	/* one that was to be deleted is still there */
	kept->is_stored |= was_noted && change->sample == NULL;
	sample_release(change->sample);
	change->sample = sample_hold(kept->sample);
	change->used_at_s = kept->used_at_s;
	expect(persistence, SAVE_AFTER_MS);
}

/* What was not stored yet never is: so there are never more changes than samples were kept. */
static void on_dropped(void *data, struct kept_sample *kept)
{
	struct sample_persistence *persistence = data;
	struct sample_change *change = change_find(persistence->changes, &kept->owner);
	if (!kept->is_stored) {
		if (change != NULL)
			change_free(&persistence->changes, change);
		return;
	}
	change = change_get(persistence, &kept->owner);
	if (change != NULL) {
		sample_release(change->sample);
		change->sample = NULL;
	}
	persistence->clears |= change == NULL; /* no memory */
	expect(persistence, SAVE_AFTER_MS);
}

/* ---- saving -------------------------------------------------------------------------------- */

static void waits_end(struct save_wait **waits, const char *problem)
{
	struct save_wait *wait = *waits, *next;
	*waits = NULL;
	for (; wait != NULL; wait = next) {
		next = wait->next;
		wait->done(wait, problem);
	}
}

static enum status save_batch(struct store *store, struct sample_change *const *changes,
                              size_t count, struct error *error)
{
	struct stored_sample stored[BATCH];
	uint8_t *messages[BATCH] = {NULL};
	enum status status = STATUS_OK;
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		const struct sample_change *change = changes[i];
		stored[i] = (struct stored_sample){.user = change->owner.user,
		                                   .used_at_s = change->used_at_s};
		memcpy(stored[i].name, change->owner.name, sizeof stored[i].name);
		if (change->sample == NULL)
			continue;
		status = sample_encode(change->sample, &messages[i], &stored[i].message_bytes,
		                       error);
		stored[i].message = messages[i];
	}
	if (status == STATUS_OK)
		status = store_save_samples(store, stored, count, error);
	for (size_t i = 0; i < count; i++)
		free(messages[i]);
	return status;
}

static void on_save(struct store_job *job, struct store **store)
{
	struct sample_saving *saving = (struct sample_saving *)job; /* its first member */
	struct error *error = &saving->error;
	struct sample_change *batch[BATCH];
	size_t count = 0;
	if (*store == NULL) {
		error_set(error, STATUS_UNAVAILABLE, "the store is not open");
		return;
	}
	enum status status = saving->clears ? store_delete_samples(*store, error) : STATUS_OK;
	for (struct sample_change *change = saving->changes; change != NULL && status == STATUS_OK;
	     change = change->hh.next) {
		batch[count++] = change;
		if (count < BATCH && change->hh.next != NULL)
			continue;
		status = save_batch(*store, batch, count, error);
		count = 0;
	}
	error->status = status;
}

/* What could not be written is to be written, unless something newer is. */
static void take_back(struct sample_persistence *persistence, struct sample_saving *saving)
{
	struct sample_change *change, *next;
	persistence->clears |= saving->clears;
	HASH_ITER(hh, saving->changes, change, next)
	{
		bool may_be = change->sample == NULL || persistence->keeps;
		if (!may_be || change_find(persistence->changes, &change->owner) != NULL)
			continue;
		struct sample_change *again = change_get(persistence, &change->owner);
		if (again == NULL)
			continue;
		again->sample = change->sample; /* with its hold */
		again->used_at_s = change->used_at_s;
		change->sample = NULL;
	}
}

static void on_saved(struct store_job *job)
{
	struct sample_saving *saving = (struct sample_saving *)job;
	struct sample_persistence *persistence = saving->persistence;
	const struct error *error = &saving->error;
	bool has_failed = error->status != STATUS_OK;
	persistence->saving = NULL; /* freed here */
	if (has_failed) {
		take_back(persistence, saving);
		/* why it is not open has been logged */
		if (error->status != STATUS_UNAVAILABLE)
			log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error->text));
	}
	waits_end(&saving->waits, has_failed ? error->text : NULL);
	changes_free(&saving->changes);
	free(saving);
	if (persistence->waits != NULL || (persistence->is_stopping && !has_failed))
		flush(persistence);
	else if (persistence->changes != NULL || persistence->clears)
		expect(persistence, has_failed ? RETRY_MS : SAVE_AFTER_MS);
}

/* As if the store had none. */
static void note_all(struct sample_persistence *persistence)
{
	struct kept_sample *kept = persistence->daemon->samples.table;
	changes_free(&persistence->changes);
	for (; kept != NULL; kept = kept->hh.next) {
		kept->is_stored = false;
		on_kept(persistence, kept);
	}
}

/* Gives what has changed to the store; while it has some, that comes next. */
static void flush(struct sample_persistence *persistence)
{
	if (persistence->saving != NULL)
		return;
	if (persistence->changes == NULL && !persistence->clears) {
		waits_end(&persistence->waits, NULL);
		return;
	}
	struct sample_saving *saving = calloc(1, sizeof *saving);
	if (saving == NULL) {
		waits_end(&persistence->waits, "no memory");
		expect(persistence, RETRY_MS);
		return;
	}
	if (persistence->clears)
		note_all(persistence);
	(void)uv_timer_stop(&persistence->timer);
	saving->persistence = persistence;
	saving->job = (struct store_job){.run = on_save, .done = on_saved};
	saving->clears = persistence->clears;
	saving->changes = persistence->changes; /* taken */
	saving->waits = persistence->waits;
	persistence->clears = false;
	persistence->changes = NULL;
	persistence->waits = NULL;
	for (struct sample_change *change = saving->changes; change != NULL;
	     change = change->hh.next) {
		struct kept_sample *kept =
		        samples_find(&persistence->daemon->samples, &change->owner);
		if (kept != NULL)
			kept->is_stored = true;
	}
	persistence->saving = saving;
	store_worker_add(&persistence->daemon->persistence.worker, &saving->job);
}

void sample_persistence_wait(struct sample_persistence *persistence, struct save_wait *wait)
{
	wait->next = persistence->waits;
	persistence->waits = wait;
	flush(persistence);
}

void sample_persistence_go_on(struct sample_persistence *persistence)
{
	static const char problem[] = "the store does not answer";
	waits_end(&persistence->waits, problem);
	if (persistence->saving != NULL)
		waits_end(&persistence->saving->waits, problem);
}

/* ---- what the store had -------------------------------------------------------------------- */

static void load_one(void *data, const struct stored_sample *stored)
{
	struct loaded_samples *loaded = data;
	struct error error;
	if (loaded->count == loaded->room) {
		size_t room = loaded->room == 0 ? 64 : 2 * loaded->room;
		struct loaded_sample *more = realloc(loaded->samples, room * sizeof *more);
		loaded->is_partial |= more == NULL;
		if (more == NULL)
			return;
		loaded->samples = more;
		loaded->room = room;
	}
	struct loaded_sample *one = &loaded->samples[loaded->count++];
	*one = (struct loaded_sample){.owner.user = stored->user, .used_at_s = stored->used_at_s};
	memcpy(one->owner.name, stored->name, sizeof one->owner.name);
	Predictd__Sample *message =
	        stored->message == NULL
	                ? NULL
	                : predictd__sample__unpack(NULL, stored->message_bytes, stored->message);
	uint8_t name[SAMPLE_NAME_BYTES];
	if (message == NULL)
		return;
	/* one whose bytes have changed would answer for another */
	sample_name(message, name);
	if (memcmp(name, stored->name, sizeof name) == 0)
		(void)sample_decode(message, &one->sample, &error);
	predictd__sample__free_unpacked(message, NULL);
}

enum status sample_persistence_read(struct store *store, struct loaded_samples *loaded,
                                    struct error *error)
{
	if (!loaded->keeps)
		return store_delete_samples(store, error);
	enum status status = store_load_samples(store, load_one, loaded, error);
	loaded->is_partial |= status != STATUS_OK;
	return status;
}

/* One that is of no use is deleted. */
static void delete(struct sample_persistence *persistence, const struct sample_owner *owner)
{
	if (samples_find(&persistence->daemon->samples, owner) == NULL &&
	    change_get(persistence, owner) != NULL)
		expect(persistence, SAVE_AFTER_MS);
}

void sample_persistence_take_up(struct sample_persistence *persistence,
                                struct loaded_samples *loaded)
{
	struct error error;
	for (size_t i = 0; i < loaded->count; i++) {
		struct loaded_sample *one = &loaded->samples[i];
		if (!persistence->keeps)
			sample_release(one->sample);
		else if (one->sample == NULL ||
		         samples_restore(&persistence->daemon->samples, &one->owner,
		                         one->sample /* taken */, one->used_at_s,
		                         &error) != STATUS_OK)
			delete (persistence, &one->owner);
	}
	/* what is not known here could not be forgotten */
	if (loaded->is_partial || (loaded->keeps && !persistence->keeps)) {
		persistence->clears = true;
		flush(persistence);
	}
	free(loaded->samples);
	*loaded = (struct loaded_samples){0};
}

/* ---- its life ------------------------------------------------------------------------------ */

void sample_persistence_init(struct sample_persistence *persistence, struct daemon *daemon)
{
	struct samples *samples = &daemon->samples;
	*persistence = (struct sample_persistence){.daemon = daemon};
	(void)uv_timer_init(&daemon->loop, &persistence->timer);
	persistence->timer.data = persistence;
	samples->on_kept = on_kept;
	samples->on_dropped = on_dropped;
	samples->data = persistence;
}

void sample_persistence_set(struct sample_persistence *persistence, bool keeps)
{
	if (persistence->keeps == keeps)
		return;
	persistence->keeps = keeps;
	if (!persistence->daemon->is_store_loaded)
		return; /* it is read as this says */
	persistence->clears = true;
	flush(persistence);
}

void sample_persistence_stop(struct sample_persistence *persistence)
{
	flush(persistence);
	persistence->is_stopping = true;
	if (!uv_is_closing((uv_handle_t *)&persistence->timer))
		uv_close((uv_handle_t *)&persistence->timer, NULL);
}

void sample_persistence_deinit(struct sample_persistence *persistence)
{
	struct samples *samples = &persistence->daemon->samples;
	samples->on_kept = NULL;
	samples->on_dropped = NULL;
	changes_free(&persistence->changes);
}
