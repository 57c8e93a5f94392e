/* SPDX-License-Identifier: Apache-2.0 */
/* One source registered under many build options, in few exchanges. */
#include "client/library/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VARIANTS_MAX = 256, /* in one request, which has a deadline of its own */
	HEADERS_MAX = 64
};

/* Variants on their way. Arrays are of `count`. */
struct registering {
	predictd_connection *connection;
	const predictd_source *source;
	size_t count;
	char **options; /* whole */
	predictd_program **programs;
	predictd_status *statuses;
	char *refusal; /* room for the sentence of the first that is refused; its place */
	size_t refusal_bytes, refused;
	struct program_source *common; /* of the source as it was sent last, without options */
};

/* The source without its options, as all have it. */
static struct program_source *common_new(const predictd_source *source)
{
	predictd_source bare = *source;
	bare.options = NULL;
	return program_source_new(&bare);
}

/* Asks about those of `places`; the reply is the caller's. */
static predictd_status ask(const struct registering *all, const size_t *places, size_t count,
                           Predictd__Response **response, uint64_t *serial)
{
	Predictd__Program message;
	Predictd__Header *headers = NULL;
	Predictd__RegisterVariants body = PREDICTD__REGISTER_VARIANTS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	predictd_source bare = *all->source;
	bare.options = NULL;
	char **options = calloc(count, sizeof *options);
	*response = NULL;
	if (options == NULL || !program_message(&bare, &message, &headers)) {
		free(options);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	}
	for (size_t i = 0; i < count; i++)
		options[i] = all->options[places[i]];
	body.program = &message;
	body.options = options;
	body.n_options = count;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_VARIANTS;
	request.register_variants = &body;
	predictd_status status =
	        connection_exchange_over(all->connection, &request, response, serial);
	if (status == PREDICTD_OK)
		status = response_status(*response, PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS);
	if (status == PREDICTD_OK && (*response)->register_variants->n_replies != count)
		status = error_keep(PREDICTD_CORRUPT, "want %zu answers, got %zu", count,
		                    (*response)->register_variants->n_replies);
	program_message_free(&message, headers);
	free(options);
	return status;
}

/* Makes a program of those that the daemon does not know, or does not know yet. */
static predictd_status give(const struct registering *all, size_t place)
{
	predictd_program *program = program_new(all->connection);
	if (program != NULL) {
		program->options = strdup(all->options[place]);
		program->source = all->common;
		(void)atomic_fetch_add_explicit(&all->common->users, 1, memory_order_relaxed);
	}
	all->programs[place] = program;
	if (program == NULL || program->options == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	return PREDICTD_OK;
}

/* Takes what came of one. *again: it is to be asked about once more. */
static predictd_status take(struct registering *all, size_t place, ProtobufCBinaryData reply,
                            uint64_t serial, bool may_retry, bool *has_grown, bool *again)
{
	Predictd__Response *response = predictd__response__unpack(NULL, reply.len, reply.data);
	predictd_status status = PREDICTD_OK;
	*again = false;
	if (response == NULL)
		return error_keep(PREDICTD_CORRUPT, "a variant's answer cannot be read");
	predictd_status own = response_status(response, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	all->statuses[place] = own;
	if (own == PREDICTD_OK) {
		status = give(all, place);
		if (status == PREDICTD_OK) {
			status = program_keep(all->programs[place], response, serial);
			response = NULL; /* the program's */
		}
	} else if (may_retry) {
		bool lacks = own == PREDICTD_SYNTAX && response->error->header[0] != '\0';
		char sentence[512];
		(void)snprintf(sentence, sizeof sentence, "%s", predictd_error_text());
		/* others may lack the same, and are asked about with it */
		if (lacks && !*has_grown)
			*has_grown = program_find_header(all->source, response);
		*again = own == PREDICTD_UNREGISTERED || (lacks && *has_grown);
		(void)error_keep(own, "%s", sentence);
	}
	if (own != PREDICTD_OK && !*again && place < all->refused) {
		all->refused = place;
		(void)snprintf(all->refusal, all->refusal_bytes, "%s", predictd_error_text());
	}
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

/* Registers `count` from `first` on: with headers that they lack, and in other languages. */
static predictd_status register_some(struct registering *all, size_t first, size_t count)
{
	size_t places[VARIANTS_MAX];
	unsigned headers = 0, attempts = 0;
	for (size_t i = 0; i < count; i++)
		places[i] = first + i;
	while (count > 0) {
		Predictd__Response *response;
		uint64_t serial = 0;
		bool has_grown = false, again;
		size_t left = 0;
		predictd_status status = ask(all, places, count, &response, &serial);
		bool may_retry =
		        ++attempts < PROGRAM_ATTEMPTS_MAX + headers && headers < HEADERS_MAX;
		for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
			status = take(all, places[i], response->register_variants->replies[i],
			              serial, may_retry, &has_grown, &again);
			if (again)
				places[left++] = places[i];
		}
		if (response != NULL)
			predictd__response__free_unpacked(response, NULL);
		if (status != PREDICTD_OK)
			return status;
		count = left;
		if (!has_grown)
			continue;
		headers++;
		program_source_release(all->common);
		all->common = common_new(all->source);
		if (all->common == NULL)
			return PREDICTD_NO_MEMORY;
	}
	return PREDICTD_OK;
}

/* The source's options before a variant's own; NULL: no memory. */
static char *whole_options(const predictd_source *source, const char *own)
{
	const char *common = source->options != NULL ? source->options : "";
	char *whole = NULL;
	if (asprintf(&whole, "%s%s%s", common, common[0] != '\0' ? " " : "", own) < 0)
		return NULL;
	return whole;
}

predictd_status predictd_register_variants(predictd_connection *connection,
                                           const predictd_source *source,
                                           const char *const *options, size_t count,
                                           predictd_program **programs, predictd_status *statuses)
{
	char refusal[512] = "";
	struct registering all = {
	        connection, source,  count,          NULL,     programs,
	        statuses,   refusal, sizeof refusal, SIZE_MAX, common_new(source)};
	predictd_status status = PREDICTD_OK;
	error_clear();
	all.options = calloc(count + 1, sizeof *all.options);
	bool has_memory = all.options != NULL && all.common != NULL;
	for (size_t i = 0; i < count; i++) {
		programs[i] = NULL;
		statuses[i] = PREDICTD_OK;
		if (has_memory)
			has_memory = (all.options[i] = whole_options(source, options[i])) != NULL;
	}
	if (!has_memory)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu variants", count);
	for (size_t i = 0; i < count && status == PREDICTD_OK; i += VARIANTS_MAX)
		status =
		        register_some(&all, i, count - i < VARIANTS_MAX ? count - i : VARIANTS_MAX);
	if (status == PREDICTD_UNAVAILABLE && connection->is_lazy) {
		status = PREDICTD_OK; /* the first question about each registers it */
		for (size_t i = 0; i < count && status == PREDICTD_OK; i++)
			if (programs[i] == NULL && statuses[i] == PREDICTD_OK)
				status = give(&all, i);
	}
	for (size_t i = 0; i < count; i++) {
		if (status != PREDICTD_OK) {
			predictd_program_free(programs[i]);
			programs[i] = NULL;
			statuses[i] = status;
		}
		if (all.options != NULL)
			free(all.options[i]);
	}
	if (status == PREDICTD_OK && all.refused < count)
		(void)error_keep(statuses[all.refused], "%s", refusal);
	else if (status == PREDICTD_OK)
		error_clear();
	program_source_release(all.common);
	free(all.options);
	return status;
}
