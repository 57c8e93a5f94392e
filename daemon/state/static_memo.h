/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions made before observations corrected them. Each observation ends the answers that rest
 * on it, and what a runtime asks is then asked again: the model need not evaluate the launch anew.
 * Of a fixed size: a new one takes the place of another. What only explanations show is not kept.
 */
#ifndef PREDICTD_DAEMON_STATE_STATIC_MEMO_H
#define PREDICTD_DAEMON_STATE_STATIC_MEMO_H

#include "model/prediction.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STATIC_MEMO_PLACES = 1024 }; /* of 2 KiB or so each, once they are used */

/* Hashes of what it was made of. Only who asked gets it: others would have to trust his hashes. */
struct static_key {
	uint64_t kernel, device, launch; /* launch: launch_question_key */
	uint64_t generation;             /* of devices and configuration */
	uid_t user;
	uint32_t options; /* bits of the caller's choice */
};

struct static_place;

struct static_memo {
	struct static_place *places[STATIC_MEMO_PLACES];
};

/* False: it is not there. *prediction has its rows then, no accesses, no what-ifs. */
bool static_memo_find(const struct static_memo *memo, const struct static_key *key,
                      struct prediction *prediction);

/* Not kept where memory is short. */
void static_memo_keep(struct static_memo *memo, const struct static_key *key,
                      const struct prediction *prediction);

void static_memo_deinit(struct static_memo *memo);

#endif
