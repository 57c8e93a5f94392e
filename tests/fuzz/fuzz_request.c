/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: unpacked within an arena as the daemon does, their launches decoded, and variants'
 * keys made.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/arena.h"
#include "daemon/codec/choice_codec.h"
#include "daemon/codec/launch_codec.h"
#include "daemon/codec/launch_key.h"
#include "daemon/codec/message_text.h"
#include "daemon/codec/share_codec.h"
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

/* What other nodes say, taken among what a user of this one observed, and asked about. */
static void take_told(const Predictd__TellSite *message)
{
	static struct correction *correction;
	struct error error;
	if (correction == NULL && correction_new(64, 8, &correction, &error) != STATUS_OK)
		return;
	for (size_t i = 0; i < message->n_estimates && i < 64; i++) {
		struct correction_record record;
		struct correction_answer answer, task;
		bool has_moved;
		if (estimate_decode(message->estimates[i], &record, &error) != STATUS_OK)
			continue;
		record.device = i % 3;
		if (correction_tell(correction, &record, &has_moved, &error) != STATUS_OK ||
		    record.sample_count == 0)
			continue;
		const struct correction_run run = {.device = record.device,
		                                   .kernel = record.kernel,
		                                   .uid = 1000,
		                                   .time_s = 1e-3,
		                                   .measured_at_s = 1,
		                                   .launch = record.launch};
		for (uint32_t uid = 1000; uid < 1002; uid++) {
			correction_ask(correction, record.device, record.kernel, uid,
			               &record.launch, false, &answer);
			correction_ask_task(correction, record.device, record.kernel, uid,
			                    &record.launch, &answer, 1e-5, &task);
			if (!isfinite(answer.time_s) || !(answer.low_s <= answer.high_s) ||
			    !isfinite(task.time_s) || !(task.low_s <= task.high_s))
				abort();
		}
		if (i % 4 == 0)
			(void)correction_observe(correction, &run, NULL, &error);
	}
	if (correction_site_records(correction) > 8 ||
	    correction_runs(correction) < correction_records(correction))
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
	case PREDICTD__REQUEST__BODY_TELL_SITE:
		take_told(request->tell_site);
		break;
	default:
		break;
	}
out:
	arena_deinit(&arena);
	return 0;
}
