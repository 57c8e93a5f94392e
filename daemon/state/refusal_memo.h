/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources refused lately, and why: one that is sent again and again costs a look-up, not an
 * analysis. What is kept is a source's own fault, which another analysis would find again; what
 * the machine was too busy for is not. The key is the program's (daemon/state/program_cache.h), so
 * that who is told has sent the very same. Of a fixed size: a new one takes the place of another.
 */
#ifndef PREDICTD_DAEMON_STATE_REFUSAL_MEMO_H
#define PREDICTD_DAEMON_STATE_REFUSAL_MEMO_H

#include "daemon/state/program_cache.h"
#include "model/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	REFUSAL_MEMO_PLACES = 512, /* 160 KiB */
	REFUSAL_MEMO_S = 600       /* then it is analysed once more */
};

struct refusal {
	struct program_key key;
	struct error error;
	uint64_t until_ns; /* 0: none */
};

struct refusal_memo {
	struct refusal places[REFUSAL_MEMO_PLACES];
};

/* Whether an analysis that ends with that status would end so again. */
bool refusal_is_lasting(enum status status);

/* STATUS_OK: it is not known; else the refusal, in *error too. */
enum status refusal_memo_find(const struct refusal_memo *memo, const struct program_key *key,
                              uint64_t now_ns, struct error *error);

void refusal_memo_keep(struct refusal_memo *memo, const struct program_key *key,
                       const struct error *error, uint64_t now_ns);

/* Forgets all: another analysis might find otherwise. */
void refusal_memo_clear(struct refusal_memo *memo);

#endif
