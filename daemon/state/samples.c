/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of buffers that users have sent. */
#include "daemon/state/samples.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { TELL_AGAIN_S = 24 * 60 * 60 };

static struct sample_owner owner_of(uid_t user, const uint8_t name[SAMPLE_NAME_BYTES])
{
	struct sample_owner owner = {.user = user};
	memcpy(owner.name, name, sizeof owner.name);
	return owner;
}

struct kept_sample *samples_find(const struct samples *samples, const struct sample_owner *owner)
{
	struct kept_sample *kept;
	HASH_FIND(hh, samples->table, owner, sizeof *owner, kept);
	return kept;
}

static struct sample_user *user_find(const struct samples *samples, uint64_t id)
{
	struct sample_user *user;
	HASH_FIND(hh, samples->users, &id, sizeof id, user);
	return user;
}

/* ---- who was used when --------------------------------------------------------------------- */

static void unlink_kept(struct kept_sample *kept)
{
	struct sample_user *user = kept->user;
	*(kept->newer != NULL ? &kept->newer->older : &user->newest) = kept->older;
	*(kept->older != NULL ? &kept->older->newer : &user->oldest) = kept->newer;
}

static void link_newest(struct samples *samples, struct kept_sample *kept, int64_t now_s)
{
	struct sample_user *user = kept->user;
	kept->newer = NULL;
	kept->older = user->newest;
	*(user->newest != NULL ? &user->newest->newer : &user->oldest) = kept;
	user->newest = kept;
	kept->use = ++samples->uses;
	kept->used_at_s = now_s;
}

static void tell_kept(struct samples *samples, struct kept_sample *kept)
{
	kept->told_at_s = kept->used_at_s;
	if (samples->on_kept != NULL)
		samples->on_kept(samples->data, kept);
}

static void use(struct samples *samples, struct kept_sample *kept, int64_t now_s)
{
	unlink_kept(kept);
	link_newest(samples, kept, now_s);
	if (now_s - kept->told_at_s >= TELL_AGAIN_S)
		tell_kept(samples, kept);
}

/* ---- room ---------------------------------------------------------------------------------- */

/* One who has none (any more) goes. */
static void settle_user(struct samples *samples, struct sample_user *user)
{
	if (user->count > 0)
		return;
	HASH_DEL(samples->users, user);
	free(user);
}

/* The user stays, also without samples. */
static void drop(struct samples *samples, struct kept_sample *kept)
{
	if (samples->on_dropped != NULL)
		samples->on_dropped(samples->data, kept);
	unlink_kept(kept);
	kept->user->count--;
	kept->user->bytes -= kept->bytes;
	samples->bytes -= kept->bytes;
	HASH_DEL(samples->table, kept);
	sample_release(kept->sample);
	free(kept);
}

static void evict(struct samples *samples, struct kept_sample *kept)
{
	drop(samples, kept);
	samples->evicted++;
}

/* Has room for so much more of one user. */
static void make_room_of_user(struct samples *samples, struct sample_user *user, size_t count,
                              size_t bytes)
{
	while (user->oldest != NULL && (user->count + count > samples->count_per_user ||
	                                user->bytes + bytes > samples->bytes_per_user))
		evict(samples, user->oldest);
}

/* Has room for so much more of anyone: of all users, what was used longest ago goes. */
static void make_room(struct samples *samples, size_t bytes)
{
	while (samples->bytes > 0 && samples->bytes + bytes > samples->bytes_max) {
		struct kept_sample *oldest = NULL;
		for (struct sample_user *user = samples->users; user != NULL; user = user->hh.next)
			if (user->oldest != NULL &&
			    (oldest == NULL || user->oldest->use < oldest->use))
				oldest = user->oldest;
		struct sample_user *user = oldest->user;
		evict(samples, oldest);
		settle_user(samples, user);
	}
}

void samples_bound(struct samples *samples, size_t count_per_user, size_t bytes_per_user,
                   size_t bytes_max)
{
	struct sample_user *user, *next;
	samples->count_per_user = count_per_user;
	samples->bytes_per_user = bytes_per_user;
	samples->bytes_max = bytes_max;
	HASH_ITER(hh, samples->users, user, next)
	{
		make_room_of_user(samples, user, 0, 0);
		settle_user(samples, user);
	}
	make_room(samples, 0);
}

void samples_deinit(struct samples *samples)
{
	(void)samples_forget(samples, false, 0, INT64_MAX);
}

/* ---- keeping and using --------------------------------------------------------------------- */

static struct sample_user *user_get(struct samples *samples, uint64_t id)
{
	struct sample_user *user = user_find(samples, id);
	if (user != NULL)
		return user;
	user = calloc(1, sizeof *user);
	if (user == NULL)
		return NULL;
	user->id = id;
	HASH_ADD(hh, samples->users, id, sizeof user->id, user);
	if (user->hh.tbl == NULL) {
		free(user);
		return NULL;
	}
	return user;
}

/* False: no memory; nothing is kept then. */
static bool add(struct samples *samples, struct kept_sample *kept, int64_t now_s)
{
	make_room(samples, kept->bytes);
	struct sample_user *user = user_get(samples, kept->owner.user);
	if (user == NULL)
		return false;
	make_room_of_user(samples, user, 1, kept->bytes);
	HASH_ADD(hh, samples->table, owner, sizeof kept->owner, kept);
	bool is_added = kept->hh.tbl != NULL;
	if (is_added) {
		kept->user = user;
		user->count++;
		user->bytes += kept->bytes;
		samples->bytes += kept->bytes;
		link_newest(samples, kept, now_s);
	}
	settle_user(samples, user);
	return is_added;
}

/*
 * Of owner and name: what was observed with one user's sample is filed apart from what another
 * observed with the same bytes, or observations would tell who has which data.
 */
static void set_key(struct sample *sample, const struct sample_owner *owner)
{
	XXH128_hash_t hash = XXH3_128bits(owner, sizeof *owner);
	sample->key[0] = hash.low64;
	sample->key[1] = hash.high64;
}

static enum status keep(struct samples *samples, const struct sample_owner *owner,
                        struct sample *sample, int64_t now_s, bool is_stored, struct error *error)
{
	struct kept_sample *kept = samples_find(samples, owner);
	if (kept != NULL) {
		use(samples, kept, now_s);
		sample_release(sample);
		return STATUS_OK;
	}
	size_t bytes = sizeof *kept + sizeof *sample + sample->byte_count;
	if (samples->count_per_user == 0 || bytes > samples->bytes_per_user ||
	    bytes > samples->bytes_max) {
		sample_release(sample);
		return error_set(error, STATUS_LIMIT, "sample: of %zu bytes, a user may have %zu",
		                 bytes, samples->bytes_per_user);
	}
	kept = calloc(1, sizeof *kept);
	if (kept != NULL) {
		set_key(sample, owner);
		kept->owner = *owner;
		kept->sample = sample;
		kept->is_stored = is_stored;
		kept->bytes = bytes;
	}
	if (kept == NULL || !add(samples, kept, now_s)) {
		sample_release(sample);
		free(kept);
		return error_set(error, STATUS_NO_MEMORY, "sample: no memory");
	}
	kept->told_at_s = now_s;
	if (!is_stored)
		tell_kept(samples, kept);
	return STATUS_OK;
}

enum status samples_keep(struct samples *samples, uid_t user, const uint8_t name[SAMPLE_NAME_BYTES],
                         struct sample *sample, int64_t now_s, struct error *error)
{
	struct sample_owner owner = owner_of(user, name);
	return keep(samples, &owner, sample, now_s, false, error);
}

enum status samples_restore(struct samples *samples, const struct sample_owner *owner,
                            struct sample *sample, int64_t used_at_s, struct error *error)
{
	return keep(samples, owner, sample, used_at_s, true, error);
}

const struct sample *samples_use(struct samples *samples, uid_t user,
                                 const uint8_t name[SAMPLE_NAME_BYTES], int64_t now_s)
{
	struct sample_owner owner = owner_of(user, name);
	struct kept_sample *kept = samples_find(samples, &owner);
	if (kept == NULL)
		return NULL;
	use(samples, kept, now_s);
	return kept->sample;
}

size_t samples_forget(struct samples *samples, bool has_user, uid_t user, int64_t before_s)
{
	size_t forgotten = 0;
	struct sample_user *one, *next;
	HASH_ITER(hh, samples->users, one, next)
	{
		while ((!has_user || one->id == user) && one->oldest != NULL &&
		       one->oldest->used_at_s <= before_s) {
			drop(samples, one->oldest);
			forgotten++;
		}
		settle_user(samples, one);
	}
	return forgotten;
}

/* ---- launches that outlive a turn ---------------------------------------------------------- */

void samples_hold(const struct launch *launch)
{
	for (uint32_t i = 0; i < launch->argument_count; i++)
		if (launch->arguments[i].sample != NULL)
			(void)sample_hold(launch->arguments[i].sample);
}

void samples_release(const struct launch *launch)
{
	for (uint32_t i = 0; i < launch->argument_count; i++)
		sample_release(launch->arguments[i].sample);
}
