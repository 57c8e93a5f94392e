/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates within a time that the caller gives. Nothing here waits for a lock that is held while
 * something else is done: the memo is read without one, and questions are handed over without one.
 */
#include "client/library/within.h"

#include <stdlib.h>

#include "client/library/batch.h"

enum {
	SPIN_NS = 100000,   /* an answer that comes at once: a round trip takes half of it */
	MARGIN_NS = 200000, /* a thread that sleeps until then may wake up so late */
};

static inline void relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

static predictd_status keep_status(struct wanted *one, predictd_status status)
{
	if (!one->is_known)
		*one->estimate = (predictd_estimate){.status = status};
	one->is_settled = true;
	return status;
}

/* Looks for an answer; true when nothing better will come. */
static bool look(predictd_connection *connection, struct wanted *one)
{
	predictd_status refusal = PREDICTD_OK;
	switch (memo_find(connection->memo, &one->key, one->estimate, &refusal)) {
	case MEMO_FRESH:
		one->is_known = one->is_settled = true;
		return true;
	case MEMO_REFUSED:
		one->is_known = false;
		(void)keep_status(one, refusal);
		return true;
	case MEMO_STALE:
		one->is_known = true;
		return false;
	case MEMO_NOTHING:
		break;
	}
	return false;
}

static struct query *query_of(predictd_connection *connection, struct question_copy *copy,
                              const struct question_key *key)
{
	struct query *query = copy == NULL ? NULL : calloc(1, sizeof *query);
	if (query == NULL) {
		question_copy_free(copy);
		return NULL;
	}
	query->copy = copy;
	query->key = *key;
	query->end_ns = ask_new(connection).end_ns;
	return query;
}

/* Asks for it, unless it is on its way or has just failed. */
static void ask(predictd_connection *connection, struct wanted *one, size_t index,
                struct question_copy *(*copy_of)(const void *, size_t, predictd_status *),
                const void *context)
{
	struct background *background = connection->background;
	predictd_status status = refresh_refusal(&background->refreshes, &one->key, clock_now_ns());
	if (status != PREDICTD_OK) {
		(void)error_keep(keep_status(one, status),
		                 "not known: a question in the background ended as %s",
		                 predictd_status_name(status));
		return;
	}
	if (!refresh_claim(&background->refreshes, &one->key))
		return;
	if (!background_start(background)) {
		refresh_end(&background->refreshes, &one->key, PREDICTD_OK, 0);
		(void)error_keep(keep_status(one, PREDICTD_LIMIT),
		                 "no thread can be had for questions in the background");
		return;
	}
	struct question_copy *copy = copy_of(context, index, &status);
	struct query *query = query_of(connection, copy, &one->key);
	if (query == NULL) {
		refresh_end(&background->refreshes, &one->key, PREDICTD_OK, 0);
		if (status == PREDICTD_OK)
			status = error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
		(void)keep_status(one, status);
		return;
	}
	background_refresh(background, query);
}

/* One look at all of them; true when none is left. */
static bool look_and_ask(predictd_connection *connection, struct wanted *wanted, size_t count,
                         struct question_copy *(*copy_of)(const void *, size_t, predictd_status *),
                         const void *context)
{
	bool is_done = true;
	for (size_t i = 0; i < count; i++) {
		if (wanted[i].is_settled || look(connection, &wanted[i]))
			continue;
		ask(connection, &wanted[i], i, copy_of, context);
		is_done = is_done && wanted[i].is_settled;
	}
	return is_done;
}

static int64_t end_of(predictd_connection *connection, double wait_s)
{
	int64_t now_ns = clock_now_ns();
	int64_t end_ns = wait_s < 1e9 ? now_ns + (int64_t)(wait_s * 1e9) : 0;
	return end_earlier(end_ns, ask_new(connection).end_ns);
}

/* Until each is settled, or until then; 0: without end. */
static void wait_for(predictd_connection *connection, struct wanted *wanted, size_t count,
                     int64_t end_ns,
                     struct question_copy *(*copy_of)(const void *, size_t, predictd_status *),
                     const void *context)
{
	struct refreshes *refreshes = &connection->background->refreshes;
	int64_t spin_end_ns = clock_now_ns() + SPIN_NS;
	for (;;) {
		uint64_t rounds = refreshes_rounds(refreshes);
		if (look_and_ask(connection, wanted, count, copy_of, context))
			return;
		int64_t now_ns = clock_now_ns();
		if (end_ns != 0 && now_ns >= end_ns)
			return;
		if (now_ns < spin_end_ns || (end_ns != 0 && end_ns - now_ns <= MARGIN_NS))
			relax();
		else /* a slot that was another's is free without a round: hence the bound */
			refreshes_await(refreshes, rounds,
			                end_earlier(now_ns + WAIT_SLICE_NS,
			                            end_ns == 0 ? 0 : end_ns - MARGIN_NS));
	}
}

predictd_status
wanted_answer(predictd_connection *connection, struct wanted *wanted, size_t count, double wait_s,
              struct question_copy *(*copy_of)(const void *, size_t, predictd_status *),
              const void *context)
{
	predictd_status status = PREDICTD_OK;
	bool is_done = true;
	/* known answers leave the thread's last sentence, and the clock, alone */
	for (size_t i = 0; i < count; i++)
		is_done &= look(connection, &wanted[i]);
	if (!is_done) {
		error_clear();
		if (!(wait_s > 0))
			(void)look_and_ask(connection, wanted, count, copy_of, context);
		else
			wait_for(connection, wanted, count, end_of(connection, wait_s), copy_of,
			         context);
	}
	for (size_t i = 0; i < count; i++) {
		if (!wanted[i].is_settled && !wanted[i].is_known) {
			*wanted[i].estimate = (predictd_estimate){.status = PREDICTD_BUSY};
			error_keep_text("not known yet: it is being asked");
		}
		if (wanted[i].estimate->status != PREDICTD_OK)
			status = wanted[i].estimate->status;
	}
	return status;
}

static struct question_copy *copy_checked(const void *context, size_t index,
                                          predictd_status *status)
{
	const predictd_question *question = context;
	(void)index;
	*status = question_check(question);
	return *status == PREDICTD_OK ? question_copy_new(question) : NULL;
}

predictd_status predictd_predict_within(predictd_connection *connection,
                                        const predictd_question *question, double wait_s,
                                        predictd_estimate *estimate)
{
	if (question->program == NULL)
		return error_keep(PREDICTD_INVALID, "a question without a program");
	predictd_estimate found = {0};
	struct wanted one = {.key = memo_key(connection->memo, question), .estimate = &found};
	predictd_status status = wanted_answer(connection, &one, 1, wait_s, copy_checked, question);
	if (status == PREDICTD_OK)
		*estimate = found;
	return status;
}

predictd_status predictd_predict_now(predictd_connection *connection,
                                     const predictd_question *question, predictd_estimate *estimate)
{
	return predictd_predict_within(connection, question, 0, estimate);
}
