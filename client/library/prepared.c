/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepared questions: all of a question that stays the same over launches of a kernel is looked at
 * once, and a launch puts its sizes and values into words that are there already. Only where no
 * answer is known is the whole question made.
 */
#include <stdlib.h>
#include <string.h>

#include "client/library/batch.h"
#include "client/library/observe.h"
#include "client/library/program.h"
#include "client/library/sample.h"
#include "client/library/scalar.h"
#include "client/library/within.h"

enum { DEVICES_MAX = 256, WANTED_FEW = 8, ARGUMENTS_FEW = 8 };

struct slot {
	struct scalar_type type; /* of a scalar */
	size_t place, value;     /* in the words: of the argument, of its lanes */
};

struct predictd_prepared {
	predictd_connection *connection;
	struct question_copy *copy;
	size_t device_count;
	char **devices;
	struct slot *slots; /* one an argument */
	struct key_words words;
};

/* ---- life ---------------------------------------------------------------------------------- */

static predictd_status slots_fill(predictd_prepared *prepared)
{
	const predictd_question *question = &prepared->copy->question;
	size_t count = question->argument_count;
	size_t *places = calloc(2 * count + 1, sizeof *places);
	if (places == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
	memo_words(prepared->connection->memo, question, &prepared->words, places, places + count);
	for (size_t i = 0; i < count; i++) {
		prepared->slots[i].place = places[i];
		prepared->slots[i].value = places[count + i];
		if (question->arguments[i].kind == PREDICTD_SCALAR)
			(void)scalar_type_parse(question->arguments[i].type,
			                        &prepared->slots[i].type); /* was checked */
	}
	free(places);
	return PREDICTD_OK;
}

predictd_status predictd_prepared_new(predictd_connection *connection,
                                      const predictd_question *question, const char *const *devices,
                                      size_t device_count, predictd_prepared **result)
{
	error_clear();
	predictd_status status = question_check(question);
	if (status != PREDICTD_OK)
		return status;
	if (device_count > DEVICES_MAX)
		return error_keep(PREDICTD_LIMIT, "%zu devices: want at most %d", device_count,
		                  DEVICES_MAX);
	const char *const own[] = {question->device};
	if (device_count == 0) {
		devices = own;
		device_count = 1;
	}
	predictd_prepared *prepared = calloc(1, sizeof *prepared);
	if (prepared == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
	prepared->connection = connection;
	prepared->copy = question_copy_new(question);
	prepared->slots = calloc(question->argument_count + 1, sizeof *prepared->slots);
	prepared->devices = calloc(device_count, sizeof *prepared->devices);
	bool has_memory =
	        prepared->copy != NULL && prepared->slots != NULL && prepared->devices != NULL;
	for (size_t i = 0; i < device_count && has_memory; i++) {
		prepared->devices[i] = strdup(devices[i] == NULL ? "" : devices[i]);
		has_memory = prepared->devices[i] != NULL;
		prepared->device_count++;
	}
	status = has_memory ? slots_fill(prepared)
	                    : error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
	if (status == PREDICTD_OK)
		*result = prepared;
	else
		predictd_prepared_free(prepared);
	return status;
}

void predictd_prepared_free(predictd_prepared *prepared)
{
	if (prepared == NULL)
		return;
	for (size_t i = 0; i < prepared->device_count; i++)
		free(prepared->devices[i]);
	free(prepared->devices);
	free(prepared->slots);
	question_copy_free(prepared->copy);
	free(prepared);
}

/* ---- a launch ------------------------------------------------------------------------------ */

static const char *kind_word(predictd_argument_kind kind)
{
	static const char *const words[] = {"a buffer", "a scalar", "local memory",
	                                    "a struct", "an image", "a sampler"};
	return (size_t)kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
}

/* Whether a value can be put where it is to go. */
static predictd_status value_check(const predictd_prepared *prepared, const predictd_value *value)
{
	const predictd_question *question = &prepared->copy->question;
	if (value->argument >= question->argument_count)
		return error_keep(PREDICTD_INVALID, "argument %zu of %zu", value->argument,
		                  question->argument_count);
	const predictd_argument *argument = &question->arguments[value->argument];
	switch (argument->kind) {
	case PREDICTD_BUFFER:
	case PREDICTD_LOCAL:
	case PREDICTD_STRUCT:
		return PREDICTD_OK;
	case PREDICTD_SCALAR: {
		size_t bytes = scalar_type_bytes(&prepared->slots[value->argument].type);
		if (value->bytes != NULL && value->size_bytes == bytes)
			return PREDICTD_OK;
		return error_keep(PREDICTD_INVALID, "argument %zu: want %zu bytes of %s, have %llu",
		                  value->argument, bytes, argument->type,
		                  value->bytes == NULL ? 0ull
		                                       : (unsigned long long)value->size_bytes);
	}
	default:
		return error_keep(PREDICTD_UNSUPPORTED,
		                  "argument %zu is %s: want a question of its own", value->argument,
		                  kind_word(argument->kind));
	}
}

/* Puts a checked value into an argument. */
static void value_put(const struct slot *slot, const predictd_value *value,
                      predictd_argument *argument)
{
	if (argument->kind != PREDICTD_SCALAR) {
		argument->size_bytes = value->size_bytes;
		if (argument->kind == PREDICTD_BUFFER)
			argument->sample = value->sample;
		return;
	}
	const uint8_t *bytes = value->bytes;
	for (size_t i = 0; i < slot->type.lanes; i++, bytes += slot->type.lane_bytes) {
		if (slot->type.kind == SCALAR_REAL)
			argument->reals[i] = scalar_real(&slot->type, bytes);
		else
			argument->integers[i] = scalar_integer(&slot->type, bytes);
	}
}

/* The same into the words that its key is made of. */
static void value_put_words(const struct slot *slot, const predictd_argument *argument,
                            const predictd_value *value, struct key_words *words)
{
	uint64_t *at = &words->words[slot->place];
	if (argument->kind != PREDICTD_SCALAR) {
		at[KEY_SIZE] = value->size_bytes;
		if (argument->kind == PREDICTD_BUFFER)
			key_put_sample(at, value->sample);
		return;
	}
	const uint8_t *bytes = value->bytes;
	at = &words->words[slot->value];
	for (size_t i = 0; i < slot->type.lanes; i++, bytes += slot->type.lane_bytes) {
		if (slot->type.kind == SCALAR_REAL) {
			double real = scalar_real(&slot->type, bytes);
			memcpy(&at[i], &real, sizeof real);
		} else {
			at[i] = (uint64_t)scalar_integer(&slot->type, bytes);
		}
	}
}

/* The whole question of a launch; `arguments` has room for all of them. */
static predictd_question launch_question(const predictd_prepared *prepared,
                                         const predictd_launch *launch, size_t device,
                                         predictd_argument *arguments)
{
	predictd_question question = prepared->copy->question;
	for (uint32_t i = 0; i < question.dimensions; i++) {
		if (launch->global != NULL)
			question.global[i] = launch->global[i];
		if (launch->local != NULL)
			question.local[i] = launch->local[i];
		if (launch->offset != NULL)
			question.offset[i] = launch->offset[i];
	}
	question.device = prepared->devices[device][0] == '\0' ? NULL : prepared->devices[device];
	if (question.argument_count > 0)
		memcpy(arguments, question.arguments, question.argument_count * sizeof *arguments);
	question.arguments = arguments;
	for (size_t i = 0; i < launch->value_count; i++) {
		const predictd_value *value = &launch->values[i];
		value_put(&prepared->slots[value->argument], value, &arguments[value->argument]);
	}
	return question;
}

/* Room for a question's arguments: `few` where they fit. To arguments_free. */
static predictd_argument *arguments_new(const predictd_prepared *prepared,
                                        predictd_argument few[ARGUMENTS_FEW])
{
	size_t count = prepared->copy->question.argument_count;
	return count <= ARGUMENTS_FEW ? few : calloc(count, sizeof(predictd_argument));
}

static void arguments_free(predictd_argument *arguments, const predictd_argument few[ARGUMENTS_FEW])
{
	if (arguments != few)
		free(arguments);
}

/* The words of a checked launch, without its device; not of words that were folded. */
static void launch_words(const predictd_prepared *prepared, const predictd_launch *launch,
                         struct key_words *words)
{
	const predictd_question *question = &prepared->copy->question;
	words->seed = prepared->words.seed;
	words->used = prepared->words.used;
	words->was_folded = false;
	memcpy(words->words, prepared->words.words, words->used * sizeof words->words[0]);
	words->words[KEY_NAMES] = memo_names(prepared->connection->memo);
	for (uint32_t i = 0; i < question->dimensions; i++) {
		uint64_t *at = &words->words[KEY_GLOBAL + 3 * i];
		at[0] = launch->global != NULL ? launch->global[i] : at[0];
		at[1] = launch->local != NULL ? launch->local[i] : at[1];
		at[2] = launch->offset != NULL ? launch->offset[i] : at[2];
	}
	for (size_t i = 0; i < launch->value_count; i++) {
		const predictd_value *value = &launch->values[i];
		value_put_words(&prepared->slots[value->argument],
		                &question->arguments[value->argument], value, words);
	}
}

struct launched {
	const predictd_prepared *prepared;
	const predictd_launch *launch;
	size_t first;
};

static struct question_copy *copy_launched(const void *context, size_t index,
                                           predictd_status *status)
{
	const struct launched *launched = context;
	predictd_argument few[ARGUMENTS_FEW], *arguments = arguments_new(launched->prepared, few);
	struct question_copy *copy = NULL;
	*status = PREDICTD_OK;
	if (arguments != NULL) {
		predictd_question question = launch_question(launched->prepared, launched->launch,
		                                             launched->first + index, arguments);
		copy = question_copy_new(&question);
	}
	arguments_free(arguments, few);
	return copy;
}

/* The keys of a launch for each of its devices. False: no memory. */
static bool launch_keys(const struct launched *launched, struct wanted *wanted, size_t count)
{
	const predictd_prepared *prepared = launched->prepared;
	struct key_words words;
	if (!prepared->words.was_folded) {
		launch_words(prepared, launched->launch, &words);
		size_t used = words.used;
		for (size_t i = 0; i < count && !words.was_folded; i++) {
			words.used = used;
			key_put_text(&words, prepared->devices[launched->first + i]);
			wanted[i].key = key_of_words(&words);
		}
	}
	if (!prepared->words.was_folded && !words.was_folded)
		return true;
	predictd_argument few[ARGUMENTS_FEW], *arguments = arguments_new(prepared, few);
	for (size_t i = 0; i < count && arguments != NULL; i++) {
		predictd_question question =
		        launch_question(prepared, launched->launch, launched->first + i, arguments);
		wanted[i].key = memo_key(prepared->connection->memo, &question);
	}
	arguments_free(arguments, few);
	return arguments != NULL;
}

static predictd_status launch_check(const predictd_prepared *prepared,
                                    const predictd_launch *launch)
{
	predictd_status status = PREDICTD_OK;
	for (size_t i = 0; i < launch->value_count && status == PREDICTD_OK; i++)
		status = value_check(prepared, &launch->values[i]);
	return status;
}

predictd_status predictd_prepared_within(const predictd_prepared *prepared,
                                         const predictd_launch *launch, size_t first, size_t count,
                                         double wait_s, predictd_estimate *estimates)
{
	struct wanted few[WANTED_FEW] = {0}, *wanted = few;
	const struct launched launched = {prepared, launch, first};
	predictd_status status = launch_check(prepared, launch);
	if (status == PREDICTD_OK &&
	    (first > prepared->device_count || count > prepared->device_count - first))
		status = error_keep(PREDICTD_INVALID, "devices %zu to %zu of %zu", first,
		                    first + count, prepared->device_count);
	if (status == PREDICTD_OK && count > WANTED_FEW &&
	    (wanted = calloc(count, sizeof *wanted)) == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	for (size_t i = 0; i < count && status == PREDICTD_OK; i++)
		wanted[i].estimate = &estimates[i];
	if (status == PREDICTD_OK && !launch_keys(&launched, wanted, count))
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for a question");
	if (status == PREDICTD_OK)
		status = wanted_answer(prepared->connection, wanted, count, wait_s, copy_launched,
		                       &launched);
	if (wanted != few)
		free(wanted);
	return status;
}

predictd_status predictd_prepared_report(const predictd_prepared *prepared,
                                         const predictd_launch *launch, size_t device,
                                         const predictd_observation *observation)
{
	const struct launched launched = {prepared, launch, 0};
	predictd_status status = launch_check(prepared, launch);
	if (status == PREDICTD_OK && device >= prepared->device_count)
		status = error_keep(PREDICTD_INVALID, "device %zu of %zu", device,
		                    prepared->device_count);
	if (status == PREDICTD_OK)
		status = observation_check_times(observation);
	if (status == PREDICTD_OK)
		return observation_report(prepared->connection, observation,
		                          copy_launched(&launched, device, &status));
	observation_refused(prepared->connection);
	return status;
}

/* ---- arguments as clSetKernelArg has them -------------------------------------------------- */

/* What follows `word` and a space in a kernel's type, or NULL. */
static const char *type_behind(const char *type, const char *word)
{
	size_t length = strlen(word);
	return strncmp(type, word, length) == 0 && type[length] == ' ' ? type + length + 1 : NULL;
}

predictd_status predictd_argument_from_bytes(const predictd_kernel *kernel, size_t index,
                                             uint64_t size_bytes, const void *bytes,
                                             predictd_argument *argument)
{
	error_clear();
	if (index >= kernel->argument_count)
		return error_keep(PREDICTD_INVALID, "%s takes %zu arguments, no number %zu",
		                  kernel->name, kernel->argument_count, index);
	const char *type = kernel->argument_types[index], *name = kernel->argument_names[index];
	const char *behind;
	if (strncmp(type, "buffer", strlen("buffer")) == 0) {
		*argument = (predictd_argument){.kind = PREDICTD_BUFFER,
		                                .access = PREDICTD_READ_WRITE,
		                                .size_bytes = size_bytes};
		return PREDICTD_OK;
	}
	if (type_behind(type, "local") != NULL) {
		*argument = (predictd_argument){.kind = PREDICTD_LOCAL, .size_bytes = size_bytes};
		return PREDICTD_OK;
	}
	if ((behind = type_behind(type, "struct")) != NULL) {
		if (strtoull(behind, NULL, 10) != size_bytes)
			return error_keep(PREDICTD_INVALID,
			                  "argument %zu (%s): want %s bytes of a struct, have %llu",
			                  index, name, behind, (unsigned long long)size_bytes);
		*argument = (predictd_argument){.kind = PREDICTD_STRUCT, .size_bytes = size_bytes};
		return PREDICTD_OK;
	}
	struct slot slot = {0};
	if ((behind = type_behind(type, "scalar")) == NULL ||
	    !scalar_type_parse(behind, &slot.type))
		return error_keep(PREDICTD_UNSUPPORTED,
		                  "argument %zu (%s) is of type %s: bytes do not tell what it is",
		                  index, name, type);
	size_t want = scalar_type_bytes(&slot.type);
	if (bytes == NULL || size_bytes != want)
		return error_keep(PREDICTD_INVALID,
		                  "argument %zu (%s): want %zu bytes of %s, have %llu", index, name,
		                  want, behind,
		                  bytes == NULL ? 0ull : (unsigned long long)size_bytes);
	*argument = (predictd_argument){.kind = PREDICTD_SCALAR, .type = behind};
	value_put(&slot, &(predictd_value){.size_bytes = size_bytes, .bytes = bytes}, argument);
	return PREDICTD_OK;
}
