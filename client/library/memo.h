/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers kept in the caller's process, good while their epochs stand still.
 *
 * A table of fixed size, four entries a bucket. Readers take no lock: each entry has a sequence
 * that is odd while it is written, and is read word by word (a seqlock; Boehm, "Can seqlocks get
 * along with programming language memory models?", MSPC 2012). Writers hold the connection's
 * mutex. A question is known by its key, not by its bytes.
 *
 * A question that the daemon refuses as long as its devices and its configuration stay as they are
 * (one of a device that is not calibrated) has an entry, too, with the place of a sentence: there
 * are few of these, each read as an entry is.
 *
 * Epochs lie in memory that the daemon shares (daemon/state/epochs.h): at one address from the
 * first link on, behind which each link's memory is mapped, so that readers never see it go away.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_MEMO_H
#define PREDICTD_CLIENT_LIBRARY_MEMO_H

#include "client/library/error.h"
#include "client/library/key.h"
#include "proto/predictd.pb-c.h"

struct memo;

enum memo_found {
	MEMO_NOTHING,
	MEMO_STALE,
	MEMO_FRESH,
	MEMO_REFUSED /* the daemon refuses the question, whenever it is asked */
};

/* bytes 0: a default of 1 MiB, of which pages are used as answers come. */
predictd_status memo_new(size_t bytes, struct memo **memo);
void memo_free(struct memo *memo); /* accepts NULL */

/*
 * Of what an answer depends on; the question was not checked, its program is not NULL. Made before
 * the question is asked: an index of its device may mean another one when the answer has come.
 */
struct question_key memo_key(const struct memo *memo, const predictd_question *question);

/* The words of a question without its device, to make keys of: see key_put_question. */
void memo_words(const struct memo *memo, const predictd_question *question, struct key_words *words,
                size_t *places, size_t *values);
/* The word at KEY_NAMES, as it is now. */
uint64_t memo_names(const struct memo *memo);

/*
 * Needs no mutex.
 *
 * estimate   out: an answer; a stale one was good once. Otherwise unchanged
 * refusal    out: why there is none, whose sentence is kept as the thread's last
 */
enum memo_found memo_find(const struct memo *memo, const struct question_key *key,
                          predictd_estimate *estimate, predictd_status *refusal);

/* The link whose epochs are watched, or 0. Needs no mutex. */
uint64_t memo_serial(const struct memo *memo);
/* Whether what that link said stands, by its epoch; not where nothing is kept (memo NULL). */
bool memo_stands(const struct memo *memo, uint64_t serial, uint32_t slot, uint64_t value);

/* What follows wants the connection's mutex held. */

/*
 * Watches the epochs in `fd` (which stays the caller's) for answers that come over the link of
 * that serial; slots 0: as many as it has. PREDICTD_CORRUPT: it is no memory that can be trusted to
 * stay.
 */
predictd_status memo_watch(struct memo *memo, int fd, uint32_t slots, uint64_t serial);
/* Nobody keeps the epochs up to date any more: every entry is stale. */
void memo_expire(struct memo *memo);
/* An index means another device from now on: no answer of before is found again. */
void memo_rename(struct memo *memo);
/* In a child of fork(). */
void memo_forked(struct memo *memo);

/* An answer that came over the link of that serial. */
void memo_keep(struct memo *memo, const struct question_key *key, const predictd_estimate *estimate,
               const Predictd__Prediction *prediction, uint64_t serial);
/* A refusal that did; kept where it stands as long as an epoch does. */
void memo_refuse(struct memo *memo, const struct question_key *key, const Predictd__Error *error,
                 uint64_t serial);

#endif
