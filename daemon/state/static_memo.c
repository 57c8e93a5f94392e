/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions made before observations corrected them. */
#include "daemon/state/static_memo.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What of a prediction is kept: all before its rows, and those that it has. */
struct static_place {
	struct static_key key;
	size_t bytes;
	uint8_t prediction[];
};

static bool is_equal(const struct static_key *a, const struct static_key *b)
{
	return a->kernel == b->kernel && a->device == b->device && a->launch == b->launch &&
	       a->generation == b->generation && a->user == b->user && a->options == b->options;
}

static size_t place_of(const struct static_key *key)
{
	const uint64_t words[] = {key->kernel, key->device, key->launch, key->user, key->options};
	return XXH3_64bits(words, sizeof words) % STATIC_MEMO_PLACES;
}

bool static_memo_find(const struct static_memo *memo, const struct static_key *key,
                      struct prediction *prediction)
{
	const struct static_place *place = memo->places[place_of(key)];
	if (place == NULL || !is_equal(&place->key, key))
		return false;
	memcpy(prediction, place->prediction, place->bytes);
	prediction->access_count = prediction->what_if_count = 0;
	return true;
}

void static_memo_keep(struct static_memo *memo, const struct static_key *key,
                      const struct prediction *prediction)
{
	size_t bytes = offsetof(struct prediction, rows) +
	               prediction->row_count * sizeof prediction->rows[0];
	struct static_place **at = &memo->places[place_of(key)], *place = *at;
	if (place == NULL || place->bytes != bytes) {
		place = malloc(sizeof *place + bytes);
		if (place == NULL)
			return;
		free(*at);
		*at = place;
	}
	place->key = *key;
	place->bytes = bytes;
	memcpy(place->prediction, prediction, bytes);
}

void static_memo_deinit(struct static_memo *memo)
{
	for (size_t i = 0; i < STATIC_MEMO_PLACES; i++)
		free(memo->places[i]);
	*memo = (struct static_memo){.places = {NULL}};
}
