/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do to each other. */
#include "daemon/state/pairs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void pairs_init(struct pairs *pairs)
{
	*pairs = (struct pairs){0};
}

void pairs_deinit(struct pairs *pairs)
{
	free(pairs->pairs);
	pairs_init(pairs);
}

static struct contention *find(const struct pairs *pairs, const struct contention *pair)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (strcmp(pairs->pairs[i].keys[0], pair->keys[0]) == 0 &&
		    strcmp(pairs->pairs[i].keys[1], pair->keys[1]) == 0)
			return &pairs->pairs[i];
	return NULL;
}

bool pairs_has(const struct pairs *pairs, const struct contention *pair)
{
	return find(pairs, pair) != NULL;
}

enum status pairs_keep(struct pairs *pairs, const struct contention *pair, struct error *error)
{
	struct contention *known = find(pairs, pair);
	if (known != NULL) {
		*known = *pair;
		return STATUS_OK;
	}
	if (pairs->count == PAIRS_MAX)
		return error_set(error, STATUS_LIMIT, "pairs of devices: want at most %d",
		                 PAIRS_MAX);
	struct contention *grown = realloc(pairs->pairs, (pairs->count + 1) * sizeof *grown);
	if (grown == NULL)
		return error_set(error, STATUS_NO_MEMORY, "pairs of devices: no memory");
	pairs->pairs = grown;
	pairs->pairs[pairs->count++] = *pair;
	return STATUS_OK;
}

void pairs_drop(struct pairs *pairs, const char *key)
{
	size_t left = 0;
	for (size_t i = 0; i < pairs->count; i++)
		if (strcmp(pairs->pairs[i].keys[0], key) != 0 &&
		    strcmp(pairs->pairs[i].keys[1], key) != 0)
			pairs->pairs[left++] = pairs->pairs[i];
	pairs->count = left;
}

/* How well a key is that of a device. */
enum match { MATCH_NOT, MATCH_MODEL, MATCH_OWN };

static enum match match_of(const struct registry *registry, size_t place, const char *key)
{
	if (strcmp(registry->devices[place]->device.key, key) == 0)
		return MATCH_OWN;
	for (size_t i = 0; i < registry->kept_count; i++)
		if (strcmp(registry->kept[i]->key, key) == 0 &&
		    registry_serves(registry, registry->kept[i], place))
			return MATCH_MODEL;
	return MATCH_NOT;
}

static bool has_driver(const struct registry *registry, size_t place, const char *driver)
{
	return strcmp(registry->devices[place]->device.driver, driver) == 0;
}

enum status pairs_find(const struct pairs *pairs, const struct registry *registry,
                       const size_t *places, size_t count, struct paired **found,
                       size_t *found_count, struct error *error)
{
	uint8_t *matches = malloc(2 * count + 1);
	/* by the places of both devices: how well the pair there is theirs, and where it is */
	uint8_t *best = calloc(count * count + 1, sizeof *best);
	size_t *at = calloc(count * count + 1, sizeof *at);
	struct paired *list = calloc(count * count / 2 + 1, sizeof *list);
	enum status status = STATUS_OK;
	size_t used = 0;
	if (matches == NULL || best == NULL || at == NULL || list == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "pairs of devices: no memory");
		goto out;
	}
	for (size_t i = 0; i < pairs->count; i++) {
		const struct contention *pair = &pairs->pairs[i];
		for (size_t j = 0; j < 2 * count; j++)
			matches[j] = (uint8_t)match_of(registry, places[j % count],
			                               pair->keys[j / count]);
		for (size_t j = 0; j < count * count; j++) {
			size_t first = j / count, second = j % count;
			size_t cell = first < second ? j : second * count + first;
			uint8_t well = (uint8_t)(matches[first] + matches[count + second]);
			if (first == second || matches[first] == MATCH_NOT ||
			    matches[count + second] == MATCH_NOT || well <= best[cell])
				continue;
			if (best[cell] == 0)
				at[cell] = used++;
			best[cell] = well;
			list[at[cell]] = (struct paired){
			        pair, first, second,
			        !has_driver(registry, places[first], pair->drivers[0]) ||
			                !has_driver(registry, places[second], pair->drivers[1])};
		}
	}
	*found = list;
	*found_count = used;
	list = NULL; /* the caller's */
out:
	free(matches);
	free(best);
	free(at);
	free(list);
	return status;
}
