/* SPDX-License-Identifier: Apache-2.0 */
/* Sources refused lately. */
#include "daemon/state/refusal_memo.h"

#include <string.h>

/* The key is a cryptographic hash: any of its bytes will do. */
static size_t place_of(const struct program_key *key)
{
	return (key->bytes[0] | (size_t)key->bytes[1] << 8) % REFUSAL_MEMO_PLACES;
}

bool refusal_is_lasting(enum status status)
{
	return status == STATUS_SYNTAX || status == STATUS_INVALID || status == STATUS_LIMIT;
}

enum status refusal_memo_find(const struct refusal_memo *memo, const struct program_key *key,
                              uint64_t now_ns, struct error *error)
{
	const struct refusal *refusal = &memo->places[place_of(key)];
	if (refusal->until_ns <= now_ns ||
	    memcmp(refusal->key.bytes, key->bytes, sizeof key->bytes) != 0)
		return STATUS_OK;
	*error = refusal->error;
	return error->status;
}

void refusal_memo_keep(struct refusal_memo *memo, const struct program_key *key,
                       const struct error *error, uint64_t now_ns)
{
	memo->places[place_of(key)] = (struct refusal){
	        .key = *key,
	        .error = *error,
	        .until_ns = now_ns + (uint64_t)REFUSAL_MEMO_S * 1000000000,
	};
}

void refusal_memo_clear(struct refusal_memo *memo)
{
	for (size_t i = 0; i < REFUSAL_MEMO_PLACES; i++)
		memo->places[i].until_ns = 0;
}
