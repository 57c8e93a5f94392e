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
	BATCH = 64 /* in one transaction, and in one job, so that no job is late: 4 MiB */
};

/* What the store is to have of one owner. */
struct sample_change {
	struct sample_owner owner;
	const struct sample *sample; /* held; NULL: nothing */
	int64_t used_at_s;
	UT_hash_handle hh; /* while it is not given to the store */
};

struct sample_saving {
	struct store_job job;
	struct sample_persistence *persistence;
	struct save_wait *waits;
	bool clears;
	size_t count;
	struct sample_change *changes[BATCH];
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

static enum status save(struct store *store, const struct sample_saving *saving,
                        struct error *error)
{
	struct stored_sample stored[BATCH];
	uint8_t *messages[BATCH] = {NULL};
	enum status status = STATUS_OK;
	for (size_t i = 0; i < saving->count && status == STATUS_OK; i++) {
		const struct sample_change *change = saving->changes[i];
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
		status = store_save_samples(store, stored, saving->count, error);
	for (size_t i = 0; i < saving->count; i++)
		free(messages[i]);
	return status;
}

static void on_save(struct store_job *job, struct store **store)
{
	struct sample_saving *saving = (struct sample_saving *)job; /* its first member */
	struct error *error = &saving->error;
	if (*store == NULL) {
		error_set(error, STATUS_UNAVAILABLE, "the store is not open");
		return;
	}
	enum status status = saving->clears ? store_delete_samples(*store, error) : STATUS_OK;
	if (status == STATUS_OK)
		status = save(*store, saving, error);
	error->status = status;
}

/* What could not be written is to be written, unless something newer is. */
static void take_back(struct sample_persistence *persistence, struct sample_saving *saving)
{
	persistence->clears |= saving->clears;
	for (size_t i = 0; i < saving->count; i++) {
		struct sample_change *change = saving->changes[i];
		bool may_be = change->sample == NULL || persistence->keeps;
		if (!may_be || change_find(persistence->changes, &change->owner) != NULL)
			continue;
		struct sample_change *again = change_get(persistence, &change->owner);
		if (again == NULL) {
			persistence->clears = true;
			continue;
		}
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
	if (has_failed)
		waits_end(&persistence->waits, error->text);
	for (size_t i = 0; i < saving->count; i++) {
		sample_release(saving->changes[i]->sample);
		free(saving->changes[i]);
	}
	free(saving);
	if (has_failed)
		persistence->left = 0;
	if (persistence->left > 0 || persistence->later_waits != NULL ||
	    (persistence->is_stopping && !has_failed))
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

/* Who came since waits with the others. */
static void waits_join(struct sample_persistence *persistence)
{
	struct save_wait **end = &persistence->waits;
	while (*end != NULL)
		end = &(*end)->next;
	*end = persistence->later_waits;
	persistence->later_waits = NULL;
}

/*
 * Gives a batch of what has changed to the store; while it has one, the next comes later. What
 * changes meanwhile comes behind what had when the first batch was given: a user who floods the
 * daemon with samples delays nobody who waits, and makes the disk no busier.
 */
static void flush(struct sample_persistence *persistence)
{
	if (persistence->saving != NULL)
		return;
	if (persistence->changes == NULL && !persistence->clears) {
		persistence->left = 0;
		waits_end(&persistence->waits, NULL);
		waits_end(&persistence->later_waits, NULL);
		return;
	}
	struct sample_saving *saving = calloc(1, sizeof *saving);
	if (saving == NULL) {
		persistence->left = 0;
		waits_end(&persistence->waits, "no memory");
		waits_end(&persistence->later_waits, "no memory");
		expect(persistence, RETRY_MS);
		return;
	}
	if (persistence->clears)
		note_all(persistence);
	if (persistence->left == 0 || persistence->clears) {
		persistence->left = HASH_COUNT(persistence->changes);
		waits_join(persistence);
	}
	(void)uv_timer_stop(&persistence->timer);
	saving->persistence = persistence;
	saving->job = (struct store_job){.run = on_save, .done = on_saved};
	saving->clears = persistence->clears;
	persistence->clears = false;
	struct sample_change *change, *next;
	HASH_ITER(hh, persistence->changes, change, next)
	{
		struct kept_sample *kept =
		        samples_find(&persistence->daemon->samples, &change->owner);
		if (kept != NULL)
			kept->is_stored = true;
		saving->changes[saving->count++] = change;
		HASH_DEL(persistence->changes, change);
		if (saving->count == BATCH)
			break;
	}
	persistence->left -= saving->count < persistence->left ? saving->count : persistence->left;
	if (persistence->left == 0) {
		saving->waits = persistence->waits;
		persistence->waits = NULL;
	}
	persistence->saving = saving;
	store_worker_add(&persistence->daemon->persistence.worker, &saving->job);
}

void sample_persistence_wait(struct sample_persistence *persistence, struct save_wait *wait)
{
	wait->next = persistence->later_waits;
	persistence->later_waits = wait;
	flush(persistence);
}

void sample_persistence_go_on(struct sample_persistence *persistence)
{
	static const char problem[] = "the store does not answer";
	waits_end(&persistence->waits, problem);
	waits_end(&persistence->later_waits, problem);
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
