/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: unpacked within an arena as the daemon does, their launches decoded, and variants'
 * keys made.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/arena.h"
#include "daemon/codec/choice_codec.h"
#include "daemon/codec/launch_codec.h"
#include "daemon/codec/launch_key.h"
#include "daemon/codec/message_text.h"
#include "daemon/state/program_cache.h"
#include "proto/predictd.pb-c.h"
#include "proto/text.h"
#include "tests/fuzz/fuzz.h"

/* The keys and words of a launch that may have been observed. */
static void describe(const struct launch *launch)
{
	char text[96];
	if (launch_items(launch) < 1)
		abort();
	(void)launch_question_key(launch);
	launch_format_arguments(launch, text, sizeof text);
	if (strlen(text) >= sizeof text)
		abort();
}

static void decode(const Predictd__Launch *message)
{
	struct launch *launch = calloc(1, sizeof *launch);
	struct error error;
	if (launch == NULL)
		return;
	if (launch_decode(message, launch, &error) == STATUS_OK) {
		if (launch->dimensions < 1 || launch->dimensions > 3 ||
		    launch->argument_count > LAUNCH_ARGUMENTS_MAX ||
		    launch->hint_count > LAUNCH_HINTS_MAX)
			abort();
		describe(launch);
	}
	free(launch);
}

static void decode_choice(const Predictd__Choice *message)
{
	struct choice_name name;
	struct error error;
	if (choice_name_decode(message, &name, &error) != STATUS_OK)
		return;
	size_t length = strnlen(name.text, sizeof name.text);
	if (length == 0 || length == sizeof name.text || name.size_count > CHOICE_SIZES_MAX ||
	    text_clean_bytes(name.text) != length)
		abort();
}

/* A variant's key is that of a program of its own, however it is come by. */
static void hash(const Predictd__RegisterVariants *message)
{
	struct program_key_state source;
	if (message->program == NULL)
		return;
	program_key_begin(&source);
	while (!program_key_source_step(&source, message->program))
		continue;
	for (size_t i = 0; i < message->n_options && i < 8; i++) {
		Predictd__Program program = *message->program;
		struct program_key_state state = source;
		struct program_key alone, key;
		program.options = message->options[i];
		while (!program_key_step(&state, &program, &key))
			continue;
		alone = program_key(&program);
		if (memcmp(&alone, &key, sizeof key) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	arena_init(&arena, 4 << 20);
	ProtobufCAllocator allocator = arena_allocator(&arena);
	Predictd__Request *request = predictd__request__unpack(&allocator, size, data);
	if (request == NULL)
		goto out;
	message_clean_text(&request->base);
	switch (request->body_case) {
	case PREDICTD__REQUEST__BODY_PREDICT:
		decode(request->predict->launch);
		break;
	case PREDICTD__REQUEST__BODY_REGISTER_VARIANTS:
		hash(request->register_variants);
		break;
	case PREDICTD__REQUEST__BODY_PREDICT_BATCH:
		for (size_t i = 0; i < request->predict_batch->n_predictions && i < 64; i++)
			decode(request->predict_batch->predictions[i]->launch);
		break;
	case PREDICTD__REQUEST__BODY_FIND_REACHES:
		if (request->find_reaches->question != NULL)
			decode(request->find_reaches->question->launch);
		break;
	case PREDICTD__REQUEST__BODY_PLACE:
		for (size_t i = 0; i < request->place->n_launches && i < 64; i++)
			decode(request->place->launches[i]->launch);
		break;
	case PREDICTD__REQUEST__BODY_OBSERVE:
		for (size_t i = 0; i < request->observe->n_observations && i < 64; i++)
			decode(request->observe->observations[i]->launch);
		break;
	case PREDICTD__REQUEST__BODY_HISTORY:
		decode(request->history->launch);
		break;
	case PREDICTD__REQUEST__BODY_KEEP_CHOICE:
		decode_choice(request->keep_choice->choice);
		break;
	case PREDICTD__REQUEST__BODY_FIND_CHOICE:
		decode_choice(request->find_choice->choice);
		break;
	default:
		break;
	}
out:
	arena_deinit(&arena);
	return 0;
}
