/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do to each other, as it was measured. */
#include "daemon/services/service.h"

#include "daemon/codec/pair_codec.h"

#include <stdlib.h>

/* The devices that are meant, by their places in the registry; no device at all is an empty list.
 */
static enum status places_find(const struct registry *registry,
                               const Predictd__Contention *question,
                               size_t places[REGISTRY_DEVICES_MAX], size_t *count,
                               struct error *error)
{
	*count = 0;
	if (question->n_devices > REGISTRY_DEVICES_MAX)
		return error_set(error, STATUS_LIMIT, "contention: %zu devices: want at most %d",
		                 question->n_devices, REGISTRY_DEVICES_MAX);
	for (size_t i = 0; i < question->n_devices; i++) {
		enum status status =
		        registry_find(registry, question->devices[i], &places[i], error);
		if (status != STATUS_OK)
			return status;
		(*count)++;
	}
	for (size_t i = 0; i < registry->count && i < REGISTRY_DEVICES_MAX; i++)
		if (question->n_devices == 0)
			places[(*count)++] = i;
	return STATUS_OK;
}

enum status service_contention(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const struct registry *registry = &daemon->registry;
	struct arena *arena = &session->arena;
	size_t places[REGISTRY_DEVICES_MAX], count, found_count = 0;
	struct paired *found = NULL;
	enum status status =
	        places_find(registry, work->message->contention, places, &count, error);
	if (status == STATUS_OK)
		status = pairs_find(&daemon->pairs, registry, places, count, &found, &found_count,
		                    error);
	if (status != STATUS_OK)
		return status;
	Predictd__ContentionReply reply = PREDICTD__CONTENTION_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__Pair *pairs = arena_allocate(arena, (found_count + 1) * sizeof *pairs);
	reply.keys = arena_allocate(arena, (count + 1) * sizeof *reply.keys);
	reply.pairs = arena_allocate(arena, (found_count + 1) * sizeof *reply.pairs);
	if (pairs == NULL || reply.keys == NULL || reply.pairs == NULL) {
		free(found);
		return error_set(error, STATUS_LIMIT, "contention: the answer is too long");
	}
	for (; reply.n_keys < count; reply.n_keys++)
		reply.keys[reply.n_keys] = registry->devices[places[reply.n_keys]]->device.key;
	for (; reply.n_pairs < found_count; reply.n_pairs++) {
		const struct paired *one = &found[reply.n_pairs];
		Predictd__Pair *pair = &pairs[reply.n_pairs];
		pair_encode(one->pair, pair);
		/* of these devices, whatever key the measurement had */
		pair->key = reply.keys[one->first];
		pair->other_key = reply.keys[one->second];
		pair->is_stale = one->is_stale;
		reply.pairs[reply.n_pairs] = pair;
	}
	if (daemon->epochs != NULL) {
		reply.epoch_slot = daemon_pairs_slot(daemon);
		reply.epoch_value = epochs_value(daemon->epochs, reply.epoch_slot);
	}
	response.body_case = PREDICTD__RESPONSE__BODY_CONTENTION;
	response.contention = &reply;
	session_reply(session, work->message->id, &response);
	free(found);
	return STATUS_OK;
}
