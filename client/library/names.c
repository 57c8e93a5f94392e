/* SPDX-License-Identifier: Apache-2.0 */
/* What indices of devices mean on a connection: learned from answers, put into questions. */
#include "client/library/names.h"

#include <stdlib.h>
#include <string.h>

#include "proto/device_key.h"

/* Of a connection; a caller that makes indices up, or a daemon keys, gets no more. */
enum { INDICES_MAX = 1024, KEYS_MAX = 4096 };

struct name_key {
	struct name_key *next;
	char text[KEY_BYTES_MAX];
};

/* The one copy of a key that lives as long as the connection, or NULL. */
static const struct name_key *key_get(struct names *names, const char *text)
{
	for (const struct name_key *key = names->keys; key != NULL; key = key->next)
		if (strcmp(key->text, text) == 0)
			return key;
	if (names->key_count == KEYS_MAX || !key_is_valid(text))
		return NULL;
	struct name_key *key = calloc(1, sizeof *key);
	if (key == NULL)
		return NULL;
	memcpy(key->text, text, strlen(text));
	key->next = names->keys;
	names->keys = key;
	names->key_count++;
	return key;
}

static struct name_index *index_find(const struct names *names, uint32_t index)
{
	for (size_t i = 0; i < names->index_count; i++)
		if (names->indices[i].index == index)
			return &names->indices[i];
	return NULL;
}

static struct name_index *index_get(struct names *names, uint32_t index)
{
	struct name_index *found = index_find(names, index);
	if (found != NULL || names->index_count == INDICES_MAX)
		return found;
	if (names->indices == NULL)
		names->indices = calloc(INDICES_MAX, sizeof *names->indices);
	if (names->indices == NULL)
		return NULL;
	found = &names->indices[names->index_count++];
	*found = (struct name_index){.index = index};
	return found;
}

/* ---- questions ----------------------------------------------------------------------------- */

/* As the daemon reads it: one to nine digits. */
static bool parse_index(const char *text, uint32_t *index)
{
	size_t length = strnlen(text, 10);
	*index = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*index = *index * 10 + (uint32_t)(text[i] - '0');
	}
	return length > 0 && length < 10;
}

static void translate(struct names *names, char **device)
{
	uint32_t index;
	if (!parse_index(*device, &index))
		return;
	const struct name_index *known = index_get(names, index);
	if (known != NULL && known->key != NULL)
		*device = (char *)known->key->text;
}

void names_translate(struct names *names, Predictd__Request *request)
{
	switch (request->body_case) {
	case PREDICTD__REQUEST__BODY_PREDICT:
		translate(names, &request->predict->device);
		break;
	case PREDICTD__REQUEST__BODY_PREDICT_BATCH:
		for (size_t i = 0; i < request->predict_batch->n_predictions; i++)
			translate(names, &request->predict_batch->predictions[i]->device);
		break;
	case PREDICTD__REQUEST__BODY_PLACE:
		for (size_t i = 0; i < request->place->n_devices; i++)
			translate(names, &request->place->devices[i]);
		break;
	case PREDICTD__REQUEST__BODY_OBSERVE:
		for (size_t i = 0; i < request->observe->n_observations; i++)
			translate(names, &request->observe->observations[i]->device);
		break;
	case PREDICTD__REQUEST__BODY_HISTORY:
		translate(names, &request->history->device);
		break;
	case PREDICTD__REQUEST__BODY_FORGET:
		translate(names, &request->forget->device);
		break;
	case PREDICTD__REQUEST__BODY_CALIBRATE:
		translate(names, &request->calibrate->device);
		translate(names, &request->calibrate->other);
		break;
	case PREDICTD__REQUEST__BODY_CONTENTION:
		for (size_t i = 0; i < request->contention->n_devices; i++)
			translate(names, &request->contention->devices[i]);
		break;
	case PREDICTD__REQUEST__BODY_FIND_REACHES:
		translate(names, &request->find_reaches->question->device);
		break;
	case PREDICTD__REQUEST__BODY_KEEP_CHOICE:
		translate(names, &request->keep_choice->choice->device);
		break;
	case PREDICTD__REQUEST__BODY_FIND_CHOICE:
		translate(names, &request->find_choice->choice->device);
		break;
	case PREDICTD__REQUEST__BODY_EXPORT:
		translate(names, &request->export->device);
		break;
	case PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION:
		translate(names, &request->remove_calibration->device);
		break;
	default:
		break;
	}
}

/* ---- answers ------------------------------------------------------------------------------- */

/* Told to the caller: from now on the index means this. True: it meant another device. */
static bool tell(struct names *names, uint32_t number, const char *text)
{
	struct name_index *index = key_is_valid(text) ? index_get(names, number) : NULL;
	if (index == NULL)
		return false;
	const struct name_key *before = index->key;
	index->key = key_get(names, text);
	return before != NULL && before != index->key;
}

static bool tell_device(struct names *names, const Predictd__Device *device)
{
	return device != NULL && tell(names, device->index, device->key);
}

/* The answer to a question, which may have been asked with an index. */
static void learn(struct names *names, const Predictd__DeviceName *name)
{
	struct name_index *index = name != NULL ? index_find(names, name->index) : NULL;
	if (index != NULL && index->key == NULL)
		index->key = key_get(names, name->key);
}

static void learn_prediction(struct names *names, const Predictd__Prediction *prediction)
{
	if (prediction != NULL)
		learn(names, prediction->device);
}

bool names_learn(struct names *names, const Predictd__Response *response)
{
	bool has_changed = false;
	switch (response->body_case) {
	case PREDICTD__RESPONSE__BODY_DEVICES:
		for (size_t i = 0; i < response->devices->n_devices; i++)
			has_changed |= tell_device(names, response->devices->devices[i]);
		break;
	case PREDICTD__RESPONSE__BODY_CALIBRATE:
		has_changed = tell_device(names, response->calibrate->device);
		break;
	case PREDICTD__RESPONSE__BODY_IMPORT:
		has_changed = tell_device(names, response->import->device);
		break;
	case PREDICTD__RESPONSE__BODY_PLACE:
		for (size_t i = 0; i < response->place->n_placements; i++)
			has_changed |= tell(names, response->place->placements[i]->index,
			                    response->place->placements[i]->device_key);
		break;
	case PREDICTD__RESPONSE__BODY_PREDICT:
		learn_prediction(names, response->predict->prediction);
		break;
	case PREDICTD__RESPONSE__BODY_PREDICT_BATCH:
		for (size_t i = 0; i < response->predict_batch->n_entries; i++)
			if (response->predict_batch->entries[i]->result_case ==
			    PREDICTD__BATCH_ENTRY__RESULT_PREDICTION)
				learn_prediction(names,
				                 response->predict_batch->entries[i]->prediction);
		break;
	case PREDICTD__RESPONSE__BODY_OBSERVE:
		for (size_t i = 0; i < response->observe->n_devices; i++)
			learn(names, response->observe->devices[i]);
		break;
	case PREDICTD__RESPONSE__BODY_HISTORY:
		learn(names, response->history->device);
		break;
	case PREDICTD__RESPONSE__BODY_FORGET:
		learn(names, response->forget->device);
		break;
	case PREDICTD__RESPONSE__BODY_KEEP_CHOICE:
		learn(names, response->keep_choice->device);
		break;
	case PREDICTD__RESPONSE__BODY_FIND_CHOICE:
		learn(names, response->find_choice->device);
		break;
	case PREDICTD__RESPONSE__BODY_EXPORT:
		learn(names, response->export->device);
		break;
	case PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION:
		learn(names, response->remove_calibration->device);
		break;
	default:
		break;
	}
	return has_changed;
}

void names_deinit(struct names *names)
{
	for (struct name_key *key = names->keys, *next; key != NULL; key = next) {
		next = key->next;
		free(key);
	}
	free(names->indices);
	*names = (struct names){.keys = NULL};
}
