/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of configurations, kept in the daemon and found again at the next start. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/library/connection.h"
#include "client/library/tune.h"

static const int64_t within_ns = 50000000; /* a program's start does not hang */

enum { SPACE_BYTES = 16 };

/* The message, with what it points to. */
struct choice_message {
	Predictd__Choice choice;
	uint8_t space[SPACE_BYTES];
};

/* Which values are equal, in their order, tells configurations: their numbers mean the same. */
static void space_fill(const predictd_tuner *tuner, uint8_t space[SPACE_BYTES])
{
	size_t count = tuner->own.configuration_count, width = tuner->own.parameter_count;
	const uint64_t counts[] = {count, width};
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical,
	                         XXH3_128bits_withSeed(tuner->values,
	                                               count * width * sizeof *tuner->values,
	                                               XXH3_64bits(counts, sizeof counts)));
	memcpy(space, canonical.digest, SPACE_BYTES);
}

static predictd_status message_fill(const predictd_tuner *tuner,
                                    const predictd_connection *connection,
                                    const predictd_choice *choice, struct choice_message *message)
{
	if (choice->size < sizeof *choice)
		return error_keep(PREDICTD_INVALID, "a choice of %zu bytes: want %zu", choice->size,
		                  sizeof *choice);
	size_t length = choice->name != NULL ? strlen(choice->name) : 0;
	if (length == 0 || length > PREDICTD_CHOICE_NAME_MAX)
		return error_keep(PREDICTD_INVALID, "a choice's name of %zu bytes: want 1 to %d",
		                  length, PREDICTD_CHOICE_NAME_MAX);
	if (choice->size_count > PREDICTD_CHOICE_SIZES_MAX)
		return error_keep(PREDICTD_INVALID, "%zu sizes: want at most %d",
		                  choice->size_count, PREDICTD_CHOICE_SIZES_MAX);
	if (connection == NULL)
		return error_keep(PREDICTD_UNAVAILABLE, "no connection to a daemon");
	predictd__choice__init(&message->choice);
	space_fill(tuner, message->space);
	message->choice.name = (char *)(uintptr_t)choice->name;
	message->choice.space = (ProtobufCBinaryData){SPACE_BYTES, message->space};
	message->choice.device = (char *)(uintptr_t)(choice->device != NULL ? choice->device : "");
	message->choice.sizes = (uint64_t *)(uintptr_t)choice->sizes;
	message->choice.n_sizes = choice->size_count;
	return PREDICTD_OK;
}

/* One that is not answered in time is given up. */
static predictd_status call(predictd_connection *connection, Predictd__Request *request,
                            Predictd__Response__BodyCase want, Predictd__Response **response)
{
	struct ask ask = ask_new(connection);
	predictd_status status = PREDICTD_UNAVAILABLE;
	bool can_retry = true;
	ask.end_ns = end_earlier(ask.end_ns, clock_now_ns() + within_ns);
	for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
		can_retry = false;
		status = ask_begin(&ask);
		if (status == PREDICTD_OK)
			status = ask_call(&ask, request, want, response, &can_retry);
	}
	ask_end(&ask);
	return status;
}

predictd_status predictd_tuner_find(predictd_tuner *tuner, predictd_connection *connection,
                                    const predictd_choice *choice)
{
	struct choice_message message;
	Predictd__FindChoice body = PREDICTD__FIND_CHOICE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	error_clear();
	if (!tuner->own.is_online)
		return error_keep(PREDICTD_INVALID, "an earlier choice: want an online tuner");
	if (tuner->measured_count > 0)
		return error_keep(PREDICTD_INVALID, "an earlier choice: something has run already");
	predictd_status status = message_fill(tuner, connection, choice, &message);
	if (status != PREDICTD_OK)
		return status;
	body.choice = &message.choice;
	request.body_case = PREDICTD__REQUEST__BODY_FIND_CHOICE;
	request.find_choice = &body;
	status = call(connection, &request, PREDICTD__RESPONSE__BODY_FIND_CHOICE, &response);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__FindChoiceReply *found = response->find_choice;
	if (!tune_online_begin(tuner, found->configuration, found->time_s, found->is_over))
		status = error_keep(PREDICTD_NOT_FOUND,
		                    "the choice that was kept, %u, cannot run (any more)",
		                    found->configuration);
	predictd__response__free_unpacked(response, NULL);
	return status;
}

predictd_status predictd_tuner_keep(const predictd_tuner *tuner, predictd_connection *connection,
                                    const predictd_choice *choice)
{
	struct choice_message message;
	Predictd__KeepChoice body = PREDICTD__KEEP_CHOICE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	predictd_tuned tuned;
	error_clear();
	predictd_tuner_get(tuner, &tuned);
	if (tuned.best == SIZE_MAX)
		return error_keep(PREDICTD_NOT_FOUND, "no choice yet: nothing has run");
	predictd_status status = message_fill(tuner, connection, choice, &message);
	if (status != PREDICTD_OK)
		return status;
	body.choice = &message.choice;
	body.configuration = (uint32_t)tuned.best;
	body.time_s = tuned.best_s;
	body.is_over = tuned.is_over;
	request.body_case = PREDICTD__REQUEST__BODY_KEEP_CHOICE;
	request.keep_choice = &body;
	status = call(connection, &request, PREDICTD__RESPONSE__BODY_KEEP_CHOICE, &response);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}
